import assert from "node:assert/strict";
import { QueryTooSlow, withinTime } from "@/lib/store/query_limits.ts";
import { databaseKind, testDatabase } from "../../support/database.ts";

/** The embedded database has no timers: there, searches end between two slices of time. */
const ignore = databaseKind === "embedded";

Deno.test({
  name: "a query that takes too long ends with an error of its own, and the pool goes on",
  ignore,
  async fn() {
    await using database = await testDatabase({ isEmpty: true });
    const { sql } = database;
    const sleep = (seconds: number) => withinTime(sql, 50, (tx) => tx`select pg_sleep(${seconds})`);
    await assert.rejects(sleep(5), QueryTooSlow);
    assert.equal((await sleep(0)).length, 1);
    const [row] = await sql<
      { timeout: string }[]
    >`select current_setting('statement_timeout') as timeout`;
    assert.equal(row?.timeout, "0");
  },
});

Deno.test("other errors stay what they are", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await assert.rejects(
    withinTime(database.sql, 1_000, (tx) => tx`select 1 / 0`),
    (error: Error) => !(error instanceof QueryTooSlow) && /division by zero/.test(error.message),
  );
});
