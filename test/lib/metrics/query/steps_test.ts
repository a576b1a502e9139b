import assert from "node:assert/strict";
import { InvalidQuery } from "@/lib/metrics/query_types.ts";
import { stepsBefore, stepsFor, timesOf } from "@/lib/metrics/query/steps.ts";

const range = (start: string, end: string) => ({
  start: new Date(`2026-11-${start}Z`),
  end: new Date(`2026-11-${end}Z`),
});

Deno.test("steps are multiples of their length and cover the range", () => {
  const steps = stepsFor(range("20T10:07:30", "20T11:01:00"), 600_000, 0);
  const times = timesOf(steps).map((time) => new Date(time).toISOString().slice(11, 16));
  assert.deepEqual(times, ["10:00", "10:10", "10:20", "10:30", "10:40", "10:50", "11:00"]);
  assert.equal(new Date(steps.endMs).toISOString(), "2026-11-20T11:10:00.000Z");
});

Deno.test("the usual step makes about 240 of them", () => {
  const lengths: [hours: number, stepSec: number][] = [
    [0.01, 1],
    [1, 15],
    [6, 120],
    [24, 600],
    [7 * 24, 3_600],
    [30 * 24, 10_800],
    [90 * 24, 43_200],
    [365 * 24, 2 * 86_400],
  ];
  for (const [hours, stepSec] of lengths) {
    const end = new Date("2026-11-20T00:00:00Z");
    const start = new Date(end.getTime() - hours * 3_600_000);
    assert.equal(stepsFor({ start, end }, null, 0).stepMs, stepSec * 1_000, `${hours} h`);
  }
});

Deno.test("a step is never shorter than points are apart", () => {
  assert.equal(stepsFor(range("20T10:00:00", "20T11:00:00"), null, 60_000).stepMs, 60_000);
  assert.equal(stepsFor(range("20T10:00:00", "20T11:00:00"), 10_000, 61_000).stepMs, 120_000);
  assert.equal(stepsFor(range("20T10:00:00", "20T11:00:00"), 300_000, 60_000).stepMs, 300_000);
});

Deno.test("a range of one step is that step, wherever it begins", () => {
  const steps = stepsFor(range("20T10:03:00", "20T10:08:00"), 300_000, 600_000);
  assert.deepEqual(timesOf(steps), [Date.parse("2026-11-20T10:03:00Z")]);
  assert.equal(steps.stepMs, 300_000);
});

Deno.test("the time before is as many steps", () => {
  const steps = stepsFor(range("20T10:00:00", "20T11:30:00"), 3_600_000, 0);
  const before = stepsBefore(steps);
  assert.equal(before.count, steps.count);
  assert.equal(before.endMs, steps.startMs);
});

Deno.test("ranges and steps that cannot be are refused with a sentence", () => {
  const day = range("20T00:00:00", "21T00:00:00");
  const cases: [() => unknown, RegExp][] = [
    [() => stepsFor(range("20T10:00:00", "20T10:00:00"), null, 0), /range is empty/],
    [() => stepsFor(range("20T99:00:00", "20T10:00:00"), null, 0), /not a date/],
    [() => stepsFor(day, 500, 0), /whole number of seconds/],
    [() => stepsFor(day, 1_500, 0), /whole number of seconds/],
    [() => stepsFor(day, NaN, 0), /whole number of seconds/],
    [() => stepsFor(day, 100_000 * 86_400_000, 0), /at most a year/],
    [() => stepsFor(day, 10_000, 0), /makes 8,640 steps; .* at most 2,000/],
  ];
  for (const [ask, message] of cases) {
    assert.throws(ask, (error) => error instanceof InvalidQuery && message.test(error.message));
  }
});
