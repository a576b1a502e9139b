import assert from "node:assert/strict";
import { DAY_MS } from "@/lib/core/time.ts";
import type { Sql } from "@/lib/store/database.ts";
import { type Grouped, readStats, type StatsSelection } from "@/lib/store/stats/read_stats.ts";
import { countTotalsBefore } from "@/lib/store/stats/totals.ts";
import { testDatabase } from "@/test/support/database.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

const RETENTION_DAYS = 30;
const TODAY = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);

function selection(fields: Partial<StatsSelection>): StatsSelection {
  return {
    projectId: "1",
    kind: "span",
    environments: [],
    releases: [],
    services: [],
    start: daysAgo(20),
    end: TODAY,
    ...fields,
  };
}

function daysAgo(days: number): Date {
  return new Date(TODAY.getTime() - days * DAY_MS);
}

/** Spans and vitals of two names, environments and days. */
async function filled() {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  for (const days of [3, 2]) {
    const end = daysAgo(days).getTime() / 1_000 + 60;
    const query = (name: string, ms: number) =>
      spanRecord({ category: "db", group: name, start: end - ms / 1_000, end });
    await writer.store(
      "1",
      ...["production", "staging"].flatMap((environment, place) => [
        spanBatchRecord({
          environment,
          timestamp: new Date(end * 1_000),
          spans: [query("SELECT ?", 10 * days), query("DELETE ?", 500 + place)],
        }),
        transactionRecord({
          name: `/${environment}`,
          environment,
          timestamp: new Date(end * 1_000),
          measurements: [{ name: "lcp", value: 900 * days, unit: "millisecond" }],
        }),
      ]),
    );
  }
  return {
    sql: database.sql,
    async [Symbol.asyncDispose]() {
      await writer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** What pages ask of all names together, as one text: numbers, and what sketches say. */
async function answers(sql: Sql): Promise<string> {
  const told = (
    { count, weight, sum, sketch, lastSeen }: Grouped<"service">,
  ) => [
    count,
    weight,
    Math.round(sum),
    sketch.quantile(0.75),
    sketch.count,
    lastSeen?.toISOString(),
  ];
  const lines = [];
  for (const environments of [[], ["staging"]]) {
    for (const end of [TODAY, daysAgo(2)]) {
      const spans = await readStats(sql, selection({ environments, end }), ["category", "service"]);
      const vitals = await readStats(sql, selection({ environments, end, kind: "vital" }), [
        "op",
        "service",
      ]);
      lines.push(...spans.map((each) => [each.category, ...told(each)]));
      lines.push(...vitals.map((each) => [each.op, ...told(each)]));
    }
  }
  return JSON.stringify(lines);
}

/** As a database of an earlier version is after the migration: without totals. */
async function withoutTotals(sql: Sql): Promise<void> {
  await sql`delete from stat_hours where kind in (7, 8)`;
  await sql`delete from stat_days where kind in (7, 8)`;
  await sql`delete from stat_series where kind in (7, 8)`;
  await sql`update stat_totals_since set day = ${new Date(TODAY.getTime() + DAY_MS)}`;
}

async function rowsOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (
      select count(*) from stat_hours join stat_series using (project_id, kind, series_id) where kind in (7, 8)
    )::int as count
  `;
  return row?.count ?? 0;
}

Deno.test("a category of spans and a vital of all pages count what their names count together", async () => {
  await using world = await filled();
  const counted = await answers(world.sql);
  assert.match(counted, /"db",8,8,/);
  const [day] = await world.sql<{ rows: number }[]>`
    select count(*)::int as rows from stat_days where kind = 7
  `;
  assert.equal(day?.rows, 4, "one a day and environment");
  // The same without them, of what stands by name.
  await using before = await filled();
  await before.sql`update stat_totals_since set day = ${TODAY}`;
  assert.equal(await answers(before.sql), counted);
});

Deno.test("what was counted before there were totals is added up day by day, and reads the same all the time", async () => {
  await using other = await filled();
  const [counted, rows] = [await answers(other.sql), await rowsOf(other.sql)];
  await using world = await filled();
  const { sql } = world;
  await withoutTotals(sql);
  assert.equal(await answers(sql), counted);
  const later = new Date(TODAY.getTime() + 2 * DAY_MS);
  const noon = new Date(TODAY.getTime() + DAY_MS / 2);
  assert.equal(await countTotalsBefore(sql, RETENTION_DAYS, noon), false, "it is too early");
  for (let day = 0; await countTotalsBefore(sql, RETENTION_DAYS, later); day++) {
    if (day < 5) assert.equal(await answers(sql), counted);
  }
  assert.equal(await rowsOf(sql), rows);
  assert.equal(await answers(sql), counted);
  const [since] = await sql`select 1 from stat_totals_since where day = '-infinity'`;
  assert.ok(since, "there is nothing left to do");
  // Read of totals, not of names.
  await sql`update stat_days set count = 1000 where kind = 7`;
  assert.match(await answers(sql), /"db",4000,/);
});

Deno.test("a day that is added up twice counts once", async () => {
  await using world = await filled();
  const { sql } = world;
  const counted = await answers(sql);
  for (const _ of [1, 2]) {
    await sql`update stat_totals_since set day = ${TODAY}`;
    while (await countTotalsBefore(sql, RETENTION_DAYS));
  }
  assert.equal(await answers(sql), counted);
});
