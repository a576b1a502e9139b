import assert from "node:assert/strict";
import { readStatsOverTime } from "@/lib/store/stats/read_stats.ts";
import { listVitalSamples, loadLargest } from "@/lib/traces/vitals/load_page_vitals.ts";
import { testDatabase } from "@/test/support/database.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

const HOUR_MS = 3_600_000;
const LIMIT = 5;

/** Visits of a page with values of a vital by hours ago. */
async function visits(hours: readonly (readonly number[])[]) {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  const scope = { projectId: "1", environments: [], releases: [], services: [] };
  const interval = {
    start: new Date(Date.now() - hours.length * HOUR_MS),
    end: new Date(Date.now() + 60_000),
  };
  await writer.store(
    "1",
    ...hours.flatMap((values, hoursAgo) =>
      values.map((value) =>
        transactionRecord({
          name: "/cart",
          timestamp: new Date(Date.now() - hoursAgo * HOUR_MS),
          measurements: [{ name: "lcp", value, unit: "millisecond" }],
        })
      )
    ),
  );
  const where = { name: "/cart", op: "lcp" };
  const selection = { ...scope, ...interval, name: "/cart", vital: "lcp", min: 0, max: null };
  return {
    writer,
    all: () => listVitalSamples(database.sql, selection, LIMIT),
    largest: async () => {
      const counted = { ...scope, ...interval, kind: "vital", where } as const;
      const points = await readStatsOverTime(database.sql, counted, HOUR_MS);
      return await loadLargest(database.sql, selection, points, HOUR_MS, LIMIT);
    },
    async [Symbol.asyncDispose]() {
      await writer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

Deno.test("the largest values are the same, read of the hours alone that have them", async () => {
  await using world = await visits([
    [100, 200],
    [9_000, 100],
    ...Array.from({ length: 20 }, (_, i) => [100 + i, 300]),
    [8_000, 7_000, 10],
    [8_500, 9_500, 20],
  ]);
  const largest = await world.largest();
  assert.deepEqual(largest?.map(({ value }) => value), [9_500, 9_000, 8_500, 8_000, 7_000]);
  assert.deepEqual(largest, [...await world.all()]);
});

Deno.test("too few visits, or values that no visit of the list has, are left to reading all", async () => {
  await using few = await visits([[100], [], [], [], [200]]);
  assert.equal(await few.largest(), null);
  await using world = await visits([[9_000], ...Array.from({ length: 20 }, () => [100]), [8_000]]);
  await world.writer.store(
    "1",
    spanBatchRecord({
      transaction: "/cart",
      spans: Array.from({ length: 9 }, () =>
        spanRecord({
          category: "",
          group: "",
          measurements: [{ name: "lcp", value: 20_000, unit: "millisecond" }],
        })),
    }),
  );
  assert.equal(await world.largest(), null);
  assert.equal((await world.all()).length, LIMIT);
});
