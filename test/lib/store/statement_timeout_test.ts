import assert from "node:assert/strict";
import { QueryTooSlow, withinTime } from "@/lib/store/query_limits.ts";
import { testDatabase } from "../../support/database.ts";
import { timeBudget } from "../../support/time_budget.ts";

Deno.test("a query that takes too long ends with an error of its own, and the pool goes on", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { sql } = database;
  const sleep = (seconds: number) => withinTime(sql, 50, (tx) => tx`select pg_sleep(${seconds})`);
  await assert.rejects(sleep(5), QueryTooSlow);
  assert.equal((await sleep(0)).length, 1);
  const [row] = await sql<
    { timeout: string }[]
  >`select current_setting('statement_timeout') as timeout`;
  assert.equal(row?.timeout, "0");
});

Deno.test("a query that reads nothing from the disk is ended as well, again and again", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { sql } = database;
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    await assert.rejects(
      withinTime(
        sql,
        100,
        (tx) =>
          tx`select count(*) from generate_series(1, 5000) a, generate_series(1, 50000) b where a + b = 7`,
      ),
      QueryTooSlow,
    );
    assert.ok(performance.now() - began < timeBudget(3_000));
    // What comes next is not hit by what was meant for another.
    const [row] = await sql<{ count: string }[]>`select count(*) from generate_series(1, 10000)`;
    assert.equal(row?.count, "10000");
  }
});

Deno.test("the limit of one transaction is none of the next", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { sql } = database;
  await withinTime(sql, 100, (tx) => tx`select 1`);
  const [row] = await sql`select pg_sleep(0.4)`;
  assert.ok(row !== undefined);
});

Deno.test("other errors stay what they are", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await assert.rejects(
    withinTime(database.sql, 1_000, (tx) => tx`select 1 / 0`),
    (error: Error) => !(error instanceof QueryTooSlow) && /division by zero/.test(error.message),
  );
});
