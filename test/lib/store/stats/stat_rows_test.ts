import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import assert from "node:assert/strict";
import { distinctCount } from "@/lib/store/stats/distinct.ts";
import { seriesOf } from "@/lib/store/stats/series.ts";
import { Sketch } from "@/lib/store/stats/sketch.ts";
import { minuteRows, rowsByPeriod, type StatRow } from "@/lib/store/stats/save_stats.ts";
import { StatTally } from "@/lib/store/stats/stat_tally.ts";

const TOTAL = seriesOf({ kind: "total", environment: "production", release: "", service: "" });
const OTHER = { ...TOTAL, environment: "staging" };

function seen(time: string, value: number, user: string | null = null) {
  return {
    time: new Date(`2026-11-21T${time}Z`),
    value,
    isFailed: value > 100,
    weight: 2,
    httpStatus: value > 100 ? 500 : 200,
    user,
    traceId: String(value).padStart(32, "0"),
  };
}

function lines(rows: readonly StatRow[]): string[] {
  return rows.map((row) => {
    const { projectId, series, time, count, failures, weight, sum, statuses } = row;
    const place = `${projectId} ${series.environment} ${new Date(time).toISOString().slice(8, 16)}`;
    const users = distinctCount(row.users);
    const sketched = Sketch.of(row.sketch).count;
    return `${place}: ${count} ${failures} ${weight} ${sum} ${statuses} ${sketched} ${users}`;
  });
}

Deno.test("counts become one row a minute, hour and day of each project and series", () => {
  const tally = new StatTally();
  tally.add("1", TOTAL, seen("10:00:59.999", 10, "ann"));
  tally.add("1", TOTAL, seen("10:01:00", 20, "bob"));
  tally.add("1", TOTAL, seen("10:01:30", 200, "ann"));
  tally.add("1", TOTAL, seen("11:00:00", 40, "cid"));
  tally.add("1", OTHER, seen("10:01:00", 1));
  tally.add("2", TOTAL, seen("10:01:00", 2));
  const minutes = minuteRows(tally.counts);
  const hours = rowsByPeriod(minutes, HOUR_MS);
  const others = [
    "1 staging 21T10:01: 1 0 2 1 1,0,0,0 1 0",
    "2 production 21T10:01: 1 0 2 2 1,0,0,0 1 0",
  ];
  assert.deepEqual(lines(minutes), [
    "1 production 21T10:00: 1 0 2 10 1,0,0,0 1 1",
    "1 production 21T10:01: 2 1 4 220 1,0,0,1 2 2",
    "1 production 21T11:00: 1 0 2 40 1,0,0,0 1 1",
    ...others,
  ]);
  assert.deepEqual(lines(hours), [
    "1 production 21T10:00: 3 1 6 230 2,0,0,1 3 2",
    "1 production 21T11:00: 1 0 2 40 1,0,0,0 1 1",
    ...others.map((line) => line.replace("10:01", "10:00")),
  ]);
  assert.deepEqual(lines(rowsByPeriod(hours, DAY_MS)), [
    "1 production 21T00:00: 4 1 8 270 3,0,0,1 4 3",
    ...others.map((line) => line.replace("10:01", "00:00")),
  ]);
});

Deno.test("rows of longer periods leave those of shorter ones as they are", () => {
  const tally = new StatTally();
  tally.add("1", TOTAL, seen("10:05:00", 10));
  const minutes = minuteRows(tally.counts);
  const before = structuredClone(minutes);
  rowsByPeriod(rowsByPeriod(minutes, HOUR_MS), DAY_MS);
  assert.deepEqual(minutes, before);
});
