import assert from "node:assert/strict";
import fc from "fast-check";
import { parseArrayLiteral, toArrayLiteral } from "@/lib/store/values.ts";
import { testDatabase } from "../../support/database.ts";

Deno.test("an array literal reads as the array that was written", () => {
  fc.assert(fc.property(fc.array(fc.option(fc.string({ unit: "binary" }))), (values) => {
    assert.deepEqual(parseArrayLiteral(toArrayLiteral(values), String), values);
  }));
});

Deno.test("Postgres reads and returns arrays of every type that we use", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { sql } = database;
  const times = [new Date("2026-11-20T01:02:03.456Z"), null];
  const texts = fc.sample(fc.string({ unit: "binary" }), 200)
    .map((text) => text.toWellFormed().replaceAll("\0", ""));

  const [row] = await sql`
    select ${[1, null, -3]}::integer[] as integers, ${["9007199254740993"]}::bigint[] as bigints,
      ${[1.5]}::float8[] as doubles, ${["true", "false"]}::boolean[] as booleans,
      ${texts}::text[] as texts, ${[]}::text[] as none, array[array[1, 2], array[3, 4]] as nested,
      ${times.map((time) => time?.toISOString() ?? null)}::timestamptz[] as times,
      ${["0af76519-16cd-43dd-8448-eb211c80319c"]}::uuid[] as uuids,
      ${[JSON.stringify({ a: ['"', "\\"] })]}::jsonb[] as jsonbs
  `;

  assert.deepEqual(row, {
    integers: [1, null, -3],
    bigints: ["9007199254740993"],
    doubles: [1.5],
    booleans: [true, false],
    texts,
    none: [],
    nested: [[1, 2], [3, 4]],
    times,
    uuids: ["0af76519-16cd-43dd-8448-eb211c80319c"],
    jsonbs: [{ a: ['"', "\\"] }],
  });
});
