import assert from "node:assert/strict";
import { countParents, readStats, type StatsSelection } from "@/lib/store/stats/read_stats.ts";
import { testDatabase } from "@/test/support/database.ts";
import { spanBatchRecord, spanRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Calls of a statement by a transaction, so many hours ago. */
interface Call {
  readonly group: string;
  readonly transaction: string;
  readonly hoursAgo: number;
  readonly environment?: string;
}

function batchOf({ group, transaction, hoursAgo, environment = "production" }: Call) {
  const end = Date.now() / 1000 - hoursAgo * 3_600;
  const span = spanRecord({ category: "db", group, start: end - 0.01, end });
  const timestamp = new Date(span.start * 1000);
  return spanBatchRecord({ transaction, environment, timestamp, spans: [span] });
}

function selection(hours: number, fields: Partial<StatsSelection> = {}): StatsSelection {
  return {
    projectId: "1",
    kind: "caller",
    environments: [],
    releases: [],
    services: [],
    start: new Date(Date.now() - hours * HOUR_MS),
    end: new Date(Date.now() + 60_000),
    ...fields,
  };
}

Deno.test("callers are those that called within the time, to the hour, whichever day it begins on", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const ages = [0, 1, 2, 5, 11, 23, 24, 25, 30, 47, 48, 71, 100, 200];
  await writer.store(
    "1",
    ...ages.map((hoursAgo) => batchOf({ group: "a", transaction: `t${hoursAgo}`, hoursAgo })),
    batchOf({ group: "a", transaction: "t200", hoursAgo: 3 }),
    batchOf({ group: "a", transaction: "", hoursAgo: 0 }),
    batchOf({ group: "b", transaction: "t0", hoursAgo: 150 }),
  );
  for (const hours of [1, 3, 6, 12, 24, 26, 48, 72, 120, 24 * 7, 24 * 30]) {
    const asked = selection(hours);
    const read = await readStats(database.sql, asked, ["category", "name", "parent"]);
    const expected = ["a", "b"].flatMap((name) => {
      const parents = read.filter((each) => each.name === name && each.parent !== "").length;
      return parents === 0 ? [] : [{ category: "db", name, parents }];
    });
    const counted = await countParents(database.sql, asked);
    assert.deepEqual([...counted].sort((a, b) => a.name < b.name ? -1 : 1), expected, `${hours} h`);
  }
});

Deno.test("callers are narrowed by environment and group, and each counts once", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  await writer.store(
    "1",
    batchOf({ group: "a", transaction: "t", hoursAgo: 0 }),
    batchOf({ group: "a", transaction: "t", hoursAgo: 0, environment: "staging" }),
    batchOf({ group: "a", transaction: "u", hoursAgo: 0, environment: "staging" }),
    batchOf({ group: "b", transaction: "t", hoursAgo: 0 }),
  );
  const count = async (fields: Partial<StatsSelection>) => {
    const counts = await countParents(database.sql, selection(DAY_MS / HOUR_MS, fields));
    return Object.fromEntries(counts.map(({ name, parents }) => [name, parents]));
  };
  assert.deepEqual(await count({}), { a: 2, b: 1 });
  assert.deepEqual(await count({ environments: ["production"] }), { a: 1, b: 1 });
  assert.deepEqual(await count({ environments: ["staging", "production"] }), { a: 2, b: 1 });
  assert.deepEqual(await count({ where: { name: ["a"] } }), { a: 2 });
  assert.deepEqual(await count({ projectId: "2" }), {});
});
