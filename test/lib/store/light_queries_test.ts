import assert from "node:assert/strict";
import { sqlStateOf } from "@/lib/core/errors.ts";
import { testDatabase } from "../../support/database.ts";

Deno.test("a query of the driver has a promise and is none, and can be waited for in every way", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { sql } = database;
  const query = sql<{ one: number }[]>`select 1::int as one`;
  // Where the driver is made in another way nothing was changed, and the young generation is to be measured again.
  assert.ok(!(query instanceof Promise));
  assert.deepEqual([...await query], [{ one: 1 }]);
  const [raced, all] = await Promise.all([
    Promise.race([sql`select 2::int as two`, new Promise<never>(() => {})]),
    Promise.allSettled([sql`select 3::int as three`, sql`select 1 / 0`]),
  ]);
  assert.deepEqual([...raced], [{ two: 2 }]);
  assert.deepEqual(all.map(({ status }) => status), ["fulfilled", "rejected"]);
  let ends = 0;
  const state = await sql`select nonsense`.finally(() => void ends++).catch(sqlStateOf);
  assert.deepEqual([state, ends], ["42703", 1]);
  assert.equal(await sql`select 1`.then((rows) => rows.length), 1);
});

Deno.test("begin() passes on its options, what the work returns, and what it throws", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { sql } = database;
  const level = await sql.begin("isolation level serializable", async (tx) => {
    const [row] = await tx<
      { level: string }[]
    >`select current_setting('transaction_isolation') as level`;
    return row?.level;
  });
  assert.equal(level, "serializable");
  const both = await sql.begin((tx) => [tx`select 1::int as n`, tx`select 2::int as n`]);
  assert.deepEqual(both.map(([row]) => row?.n), [1, 2]);
  const thrown = new Error("on purpose");
  await assert.rejects(
    sql.begin(async (tx) => {
      await tx`create table kept (id int)`;
      throw thrown;
    }),
    (error) => error === thrown,
  );
  assert.equal((await sql`select to_regclass('kept') as kept`)[0]?.kept, null);
});
