import assert from "node:assert/strict";
import { joined, lengthOf, within } from "@/lib/profiles/merge/transaction_samples.ts";

const window = (threadId: string | null, start: number, end: number) => ({ threadId, start, end });

Deno.test("windows of one thread are joined where they overlap or touch", () => {
  const windows = [window("1", 5, 9), window("1", 0, 5), window("1", 20, 30), window("2", 6, 7)];
  assert.deepEqual(joined(windows), [window("1", 0, 9), window("1", 20, 30), window("2", 6, 7)]);
  assert.equal(lengthOf(joined(windows)), 20_000_000n);
});

Deno.test("one window of all threads makes all of them so", () => {
  assert.deepEqual(joined([window("1", 0, 5), window(null, 4, 8)]), [window(null, 0, 8)]);
});

Deno.test("windows are cut to a stretch of time, and those outside left out", () => {
  const windows = [window("1", 0, 5), window("1", 6, 20)];
  assert.deepEqual(within(windows, { start: 8, end: 10 }), [window("1", 8, 10)]);
});
