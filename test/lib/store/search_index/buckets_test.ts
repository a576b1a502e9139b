import assert from "node:assert/strict";
import { addText, bucketOfValue, bucketsOfPart } from "@/lib/store/search_index/buckets.ts";
import { testDatabase } from "../../../support/database.ts";

function bucketsOf(text: string): Set<number> {
  const buckets = new Set<number>();
  addText(text, (bucket) => buckets.add(bucket));
  return buckets;
}

Deno.test("characters that Postgres compares as one are in one bucket", async () => {
  await using database = await testDatabase();
  const pairs = await database.sql<{ upper: string; lower: string }[]>`
    select chr(code) as upper, lower(chr(code)) as lower
    from generate_series(1, 65535) as code
    where code not between 55296 and 57343 and lower(chr(code)) <> chr(code)
  `;
  assert.ok(pairs.length >= 26);
  for (const { upper, lower } of pairs) {
    assert.equal(bucketOfValue("key", upper), bucketOfValue("key", lower), `${upper} ${lower}`);
  }
});

Deno.test("a text is in the buckets of each of its parts, whatever their case", () => {
  const text = "Order 4711 of Größe – Заказ 🙂 注文番号 was PLACED";
  const buckets = bucketsOf(text);
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= Math.min(text.length, start + 9); end++) {
      const part = text.slice(start, end);
      for (const each of [part, part.toLowerCase()]) {
        assert.ok(bucketsOfPart(each).every((bucket) => buckets.has(bucket)), part);
      }
    }
  }
});

Deno.test("what a text has not is in other buckets", () => {
  const buckets = bucketsOf("Order 4711 was placed");
  for (const part of ["4712", "orders", "заказ", "replaced", "abc"]) {
    assert.ok(!bucketsOfPart(part).every((bucket) => buckets.has(bucket)), part);
  }
  assert.deepEqual(bucketsOfPart("ab"), []);
});
