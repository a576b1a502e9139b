import assert from "node:assert/strict";
import { type MergeGroup, mergeGroups } from "@/lib/profiles/merge/merge_groups.ts";
import type { MergeRow } from "@/lib/profiles/merge/merge_rows.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MIDNIGHT = Date.parse("2026-11-20T00:00:00Z");
const TWO_DAYS = every(MINUTE_MS, MIDNIGHT - DAY_MS, MIDNIGHT + DAY_MS);

/** A profile of one program at each step of a stretch of time. */
function every(stepMs: number, from: number, until: number): MergeRow[] {
  return Array.from({ length: (until - from) / stepMs }, (_, place) => {
    const time = from + place * stepMs;
    return {
      profileId: time.toString(16).padStart(32, "0"),
      timestamp: new Date(time),
      durationMs: 10_000,
      service: "shop",
      environment: "production",
      release: "1.0",
      traceId: null,
      spanId: null,
      profilerId: null,
      tellsActive: false,
      isDelta: true,
      blobKey: `profiles/${time}`,
      types: ["cpu:nanoseconds"],
    };
  });
}

/** Groups of what is asked for at a moment about a stretch of time before it. */
function groupsAt(now: number, lengthMs: number, end = now): MergeGroup[] {
  const start = end - lengthMs;
  const rows = TWO_DAYS.filter(({ timestamp }) => +timestamp >= start && +timestamp < end);
  const period = { projectId: "1", start: new Date(start), end: new Date(end), now: new Date(now) };
  const groups = mergeGroups(rows, period);
  const ids = groups.flatMap((group) => group.rows.map(({ profileId }) => profileId));
  assert.deepEqual(ids.sort(), rows.map(({ profileId }) => profileId), "each profile is in one");
  return groups;
}

/** Groups of an hour and more. */
function large(groups: readonly MergeGroup[]): MergeGroup[] {
  return groups.filter(({ rows }) => rows.length >= 60);
}

function keysOf(groups: readonly MergeGroup[]): (string | null)[] {
  return groups.map(({ key }) => key);
}

Deno.test("the last 24 hours are few merges at any time of the day, and most of them stay as it goes on", () => {
  for (let minute = 1; minute < 24 * 60; minute += 13) {
    const now = MIDNIGHT + minute * MINUTE_MS;
    const groups = large(groupsAt(now, DAY_MS));
    assert.ok(groups.length <= 4 && !keysOf(groups).includes(null), `${minute}: ${groups.length}`);
    const inHours = groups.reduce((sum, { rows }) => sum + rows.length, 0) / 60;
    assert.ok(inHours >= 22, `${minute}: ${inHours} hours`);
    const next = new Set(keysOf(groupsAt(now + HOUR_MS, DAY_MS)));
    const stay = groups.filter(({ key }) => next.has(key));
    const staying = stay.reduce((sum, { rows }) => sum + rows.length, 0) / 60;
    assert.ok(staying >= 8, `${minute}: ${staying} hours stay`);
  }
});

Deno.test("the same hours are the same merges, whatever minutes are asked for around them", () => {
  const now = MIDNIGHT + DAY_MS;
  const one = groupsAt(now, 6 * HOUR_MS + 10 * MINUTE_MS, now - 3 * HOUR_MS + 5 * MINUTE_MS);
  const other = groupsAt(now, 6 * HOUR_MS + 50 * MINUTE_MS, now - 3 * HOUR_MS + 20 * MINUTE_MS);
  assert.equal(large(one).length, 2);
  assert.deepEqual(keysOf(large(one)), keysOf(large(other)));
});

Deno.test("a day that is over is one merge of its thirds, which are those of days asked for in part", () => {
  const now = MIDNIGHT + DAY_MS / 2;
  const [day, ...more] = groupsAt(now, DAY_MS, MIDNIGHT);
  assert.equal(more.length, 0);
  const thirds = keysOf(day?.parts ?? []);
  assert.equal(thirds.length, 3);
  const late = keysOf(large(groupsAt(now, 20 * HOUR_MS, MIDNIGHT)));
  assert.deepEqual(late.slice(-2), thirds.slice(-2));
});

Deno.test("what may still grow is in groups of five minutes", () => {
  const now = MIDNIGHT + 10 * HOUR_MS + MINUTE_MS;
  const groups = groupsAt(now, 3 * HOUR_MS, MIDNIGHT + 10 * HOUR_MS);
  // The third of the day ends at eight; uploads of the hour from nine on may be on their way.
  assert.deepEqual(groups.map(({ rows }) => rows.length), [60, 60, ...Array(12).fill(5)]);
  assert.deepEqual(keysOf(groups).flatMap((key, place) => key === null ? [place] : []), [13]);
});

Deno.test("hours of many profiles are merges of their own, those of fewer are put together", () => {
  const rows = [
    ...every(10_000, MIDNIGHT, MIDNIGHT + 3 * HOUR_MS),
    ...every(20_000, MIDNIGHT + 3 * HOUR_MS, MIDNIGHT + 8 * HOUR_MS),
    ...every(MINUTE_MS, MIDNIGHT + 8 * HOUR_MS, MIDNIGHT + 16 * HOUR_MS),
  ];
  const at = (hour: number) => new Date(MIDNIGHT + hour * HOUR_MS);
  const groups = mergeGroups(rows, { projectId: "1", start: at(0), end: at(16), now: at(24) });
  assert.deepEqual(groups.map((group) => group.rows.length), [360, 360, 360, 180, 360, 360, 480]);
});
