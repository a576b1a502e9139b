import assert from "node:assert/strict";
import type { Schedule } from "@/lib/alerts/rule.ts";
import { inSchedule, levelOf, levelWhileFiring } from "@/lib/alerts/evaluation/group_states.ts";
import {
  againBeside,
  endsSince,
  latestEnd,
  untilNext,
} from "@/lib/alerts/evaluation/evaluate_rule.ts";

const at = (time: string) => new Date(`2026-11-20T${time}Z`);

Deno.test("a value reaches the worst level that it compares with", () => {
  const up = { comparison: ">", warning: 80, critical: 90, recovery: 70 } as const;
  assert.deepEqual([91, 90, 80.1, 80, 0].map((value) => levelOf(up, value)), [
    "critical",
    "warning",
    "warning",
    null,
    null,
  ]);
  assert.deepEqual([91, 85, 75, 70].map((value) => levelWhileFiring(up, value)), [
    "critical",
    "warning",
    "warning",
    null,
  ]);
  const down = { comparison: "<=", warning: null, critical: 0.9, recovery: 0.95 } as const;
  assert.deepEqual([0.9, 0.91].map((value) => levelOf(down, value)), ["critical", null]);
  assert.deepEqual([0.91, 0.95, 0.96].map((value) => levelWhileFiring(down, value)), [
    "critical",
    "critical",
    null,
  ]);
});

Deno.test("windows end on each half minute and are judged five seconds later", () => {
  assert.deepEqual(latestEnd(at("10:00:05")), at("10:00:00"));
  assert.deepEqual(latestEnd(at("10:00:04.999")), at("09:59:30"));
  assert.equal(untilNext(at("10:00:06")), 29_000);
  assert.equal(untilNext(at("10:00:05")), 30_000);
});

Deno.test("after a standstill each missed minute is judged, an hour of them at most", () => {
  const times = (last: Date | null, latest: Date) =>
    endsSince(last, latest).map((end) => end.toISOString().slice(11, 19));
  assert.deepEqual(times(null, at("10:00:30")), ["10:00:30"]);
  assert.deepEqual(times(at("10:00:30"), at("10:00:30")), []);
  assert.deepEqual(times(at("10:00:30"), at("10:01:30")), ["10:01:30"]);
  assert.deepEqual(times(at("10:00:30"), at("10:03:30")), [
    "10:01:00",
    "10:02:00",
    "10:03:00",
    "10:03:30",
  ]);
  const day = endsSince(at("00:00:00"), at("10:00:00"));
  assert.equal(day.length, 60);
  assert.deepEqual(day[0], at("09:01:00"));
});

Deno.test("a short window is looked at once more two minutes later", () => {
  assert.deepEqual(againBeside(at("10:02:00"), 5), at("10:00:00"));
  assert.equal(againBeside(at("10:02:30"), 5), null);
  assert.equal(againBeside(at("10:02:00"), 60), null);
});

Deno.test("a schedule goes by the clocks of its time zone, in summer and in winter", () => {
  const work: Schedule = {
    days: [1, 2, 3, 4, 5],
    fromMinute: 9 * 60,
    toMinute: 17 * 60,
    timeZone: "Europe/Berlin",
  };
  const isOn = (time: string) => inSchedule(work, new Date(time));
  assert.deepEqual(
    ["2026-01-05T07:59Z", "2026-01-05T08:00Z", "2026-01-05T15:59Z", "2026-01-05T16:00Z"].map(isOn),
    [false, true, true, false],
  );
  // The day after the change to summer time.
  assert.deepEqual(["2026-03-30T06:59Z", "2026-03-30T07:00Z"].map(isOn), [false, true]);
  assert.equal(isOn("2026-01-04T10:00Z"), false);
  assert.equal(inSchedule(null, at("00:00:00")), true);
});

Deno.test("a night belongs to the day on which it began", () => {
  const night: Schedule = { days: [5], fromMinute: 22 * 60, toMinute: 6 * 60, timeZone: "UTC" };
  const isOn = (time: string) => inSchedule(night, new Date(time));
  assert.deepEqual(
    ["2026-11-20T21:59Z", "2026-11-20T22:00Z", "2026-11-21T05:59Z", "2026-11-21T06:00Z"].map(isOn),
    [false, true, true, false],
  );
  assert.equal(isOn("2026-11-20T01:00Z"), false);
});
