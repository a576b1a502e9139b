import assert from "node:assert/strict";
import { failureOf } from "@/lib/core/errors.ts";
import { commitOnce, connectServer } from "@/lib/store/database.ts";
import { withinTime } from "@/lib/store/query_limits.ts";
import { databaseKind } from "../../support/database.ts";
import { timeBudget } from "../../support/time_budget.ts";
import { throwAwayDatabase } from "../../support/throw_away_database.ts";
import { waitFor } from "../../support/wait_for.ts";

const LIMITS = { max: 1, idleLimitMs: 300 };

/** A table with one row, and two isolates that write to it. */
async function twoWriters() {
  const url = Deno.env.get("TEST_DATABASE_URL") ?? "";
  const database = await throwAwayDatabase(url, { isMigrated: false });
  const [hanging, other] = [connectServer(database.url, LIMITS), connectServer(database.url)];
  await other`create table counts (n int not null)`;
  await other`insert into counts values (0)`;
  return {
    hanging,
    other,
    async [Symbol.asyncDispose]() {
      await Promise.all([hanging, other].map((sql) => sql.end({ timeout: 1 })));
      await database[Symbol.asyncDispose]();
    },
  };
}

// The embedded one ends with the only process that uses it.
const ignore = databaseKind === "embedded";

Deno.test({
  name:
    "rows that a hanging process has locked are free again, and what it goes on with fails as if Postgres were away",
  ignore,
}, async () => {
  await using writers = await twoWriters();
  const { hanging, other } = writers;
  const goesOn = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const stuck = hanging.begin(async (tx) => {
    await tx`update counts set n = n + 100`;
    locked.resolve();
    await goesOn.promise;
    await tx`update counts set n = n + 100`;
  });
  const failed = stuck.then(() => "committed", failureOf);
  await locked.promise;

  await withinTime(other, timeBudget(5_000), (tx) => tx`update counts set n = n + 1`)
    .finally(goesOn.resolve);

  assert.equal(await failed, "unavailable");
  assert.deepEqual([...await other`select n from counts`], [{ n: 1 }]);
  await hanging`update counts set n = n + 1`;
  assert.deepEqual([...await other`select n from counts`], [{ n: 2 }]);
});

Deno.test({
  name:
    "a commit of a process that hung before its end is told as failed, and counts once when it is tried again",
  ignore,
}, async () => {
  await using writers = await twoWriters();
  const { hanging, other } = writers;
  let hangsMs = 5 * LIMITS.idleLimitMs;
  const add = () =>
    commitOnce({
      sql: hanging,
      statementTimeoutMs: 5_000,
      deadline: performance.now() + 30_000,
      work: async (tx) => {
        await tx`update counts set n = n + 1`;
        // As SIGSTOP does: neither reads nor writes.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, hangsMs);
      },
      isThere: () => Promise.resolve(null),
    });

  await assert.rejects(add(), (error) => failureOf(error) === "unavailable");
  hangsMs = 0;
  await waitFor("the commit", () => add().then(() => true, () => null));

  assert.deepEqual([...await other`select n from counts`], [{ n: 1 }]);
});
