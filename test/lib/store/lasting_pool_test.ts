import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { testDatabase } from "../../support/database.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { waitFor } from "../../support/wait_for.ts";

/** Twenty answers at once. The last break may be noticed only now, and fail queries once more. */
function answers(sql: Sql): Promise<number[]> {
  return waitFor("answers", async () => {
    const queries = Array.from(
      { length: 20 },
      (_, i) => sql<{ i: number }[]>`select ${i}::int as i`,
    );
    const results = await Promise.allSettled(queries);
    if (results.some(({ status }) => status === "rejected")) return null;
    return results.flatMap((result) =>
      result.status === "fulfilled" ? result.value.map(({ i }) => i) : []
    );
  });
}

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
  assert.deepEqual(await answers(sql), Array.from({ length: 20 }, (_, i) => i));
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

  assert.deepEqual(await answers(sql), Array.from({ length: 20 }, (_, i) => i));
});
