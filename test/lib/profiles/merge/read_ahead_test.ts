import assert from "node:assert/strict";
import { readAhead } from "@/lib/profiles/merge/merge_rows.ts";

const items = Array.from({ length: 20 }, (_, index) => index);

Deno.test("things come in their order, so many of them on their way at once", async () => {
  let running = 0;
  let most = 0;
  const read = async (item: number) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, (item * 7) % 5));
    running--;
    return item * 2;
  };
  const found = await Array.fromAsync(readAhead(items, 4, read));
  assert.deepEqual(found, items.map((item) => [item, item * 2]));
  assert.equal(most, 4);
});

Deno.test("a failure is thrown in its turn, and later ones are heard by nobody", async () => {
  const seen: number[] = [];
  const read = (item: number) =>
    item < 2 ? Promise.resolve(item) : Promise.reject(new Error(`${item}`));
  await assert.rejects(async () => {
    for await (const [item] of readAhead(items, 4, read)) seen.push(item);
  }, /^Error: 2$/);
  assert.deepEqual(seen, [0, 1]);
});
