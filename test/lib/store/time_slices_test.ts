import assert from "node:assert/strict";
import { QueryTooSlow, readInSlices, type SlicedSearch } from "@/lib/store/query_limits.ts";

const DAY_MS = 86_400_000;
const day = (number: number) => new Date(number * DAY_MS);

/** Searches rows that are times; tells the days of each slice, too. */
async function search(rows: readonly number[], fields: Partial<SlicedSearch<number>> = {}) {
  const slices: [number, number][] = [];
  const isForwards = fields.isForwards ?? false;
  const found = await readInSlices<number>({
    start: day(0),
    end: day(30),
    isForwards,
    limit: 3,
    timeoutMs: 10_000,
    now: () => 0,
    read({ start, end }, missing) {
      slices.push([start.getTime() / DAY_MS, end.getTime() / DAY_MS]);
      const within = rows.filter((row) => row >= start.getTime() && row < end.getTime());
      return Promise.resolve(
        within.sort((a, b) => isForwards ? a - b : b - a).slice(0, missing),
      );
    },
    ...fields,
  });
  return { found: found.map((row) => row / DAY_MS), slices };
}

Deno.test("slices follow upon each other without gaps until there are enough rows", async () => {
  const rows = [0, 1, 24, 25, 28, 29.5].map((each) => each * DAY_MS);
  const late = await search(rows);
  assert.deepEqual(late.found, [29.5, 28, 25]);
  assert.deepEqual(late.slices, [[29, 30], [25, 29]]);
  const early = await search(rows, { isForwards: true });
  assert.deepEqual(early.found, [0, 1, 24]);
  assert.deepEqual(early.slices, [[0, 1], [1, 5], [5, 21], [21, 30]]);
  const all = await search(rows, { limit: 9 });
  assert.deepEqual(all.found, [29.5, 28, 25, 24, 1, 0]);
  assert.deepEqual(all.slices, [[29, 30], [25, 29], [9, 25], [0, 9]]);
  assert.deepEqual((await search(rows, { start: day(9), end: day(9) })).slices, []);
});

Deno.test("a search that finds nothing in time ends between two slices", async () => {
  const lefts: number[] = [];
  let now = 0.5;
  const slow = search([], {
    timeoutMs: 60,
    now: () => now,
    read(_slice, _missing, leftMs) {
      lefts.push(leftMs);
      now += 49.7;
      return Promise.resolve([]);
    },
  });
  await assert.rejects(slow, QueryTooSlow);
  assert.deepEqual(lefts, [60, 11]);
});

Deno.test("slices grow only as long as they are read in a quarter of a second", async () => {
  const days: number[] = [];
  let now = 0;
  await search([], {
    now: () => now,
    read({ start, end }) {
      days.push((end.getTime() - start.getTime()) / DAY_MS);
      now += days.length > 1 ? 250 : 249;
      return Promise.resolve([]);
    },
  });
  assert.deepEqual(days, [1, 4, 4, 4, 4, 4, 4, 4, 1]);
});
