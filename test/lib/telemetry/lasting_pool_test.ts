import assert from "node:assert/strict";
import { testDatabase } from "../../support/database.ts";
import { faultyLink } from "../../support/faulty_link.ts";

Deno.test("a connection that breaks fails its queries, and the pool works on", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  const { sql } = link;
  const big = "x".repeat(5_000);
  let failed = 0;

  for (let round = 0; round < 30; round++) {
    const cuts = [
      sql.begin(async (tx) => {
        await tx`select 1`;
        link.cut();
        await tx`select 2`;
      }),
      sql.begin(async (tx) => await Promise.all([tx`select 1`, tx`select ${big}`, tx`select 2`])),
      sql`select ${big}::text`,
    ];
    const results = await Promise.allSettled(cuts);
    failed += results.filter(({ status }) => status === "rejected").length;
  }

  assert.ok(failed >= 30, `${failed} failed`);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => sql`select ${i}::int as i`),
  );
  assert.deepEqual(answers.map(([row]) => row?.i), Array.from({ length: 20 }, (_, i) => i));
});

Deno.test("a connection that breaks while it is made fails its query", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  const { sql } = link;

  for (let round = 0; round < 30; round++) {
    const queries = Array.from({ length: 4 }, () => sql`select 1`.then(() => true, () => false));
    for (let i = 0; i < round % 5; i++) await new Promise((resolve) => setTimeout(resolve));
    link.cut();
    await Promise.all(queries);
  }

  assert.equal((await sql`select 1 as one`)[0]?.one, 1);
});
