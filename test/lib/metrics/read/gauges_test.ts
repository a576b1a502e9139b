import assert from "node:assert/strict";
import type { NumberSeries } from "@/lib/records/mod.ts";
import { gaugeSeries } from "@/test/support/metric_series.ts";
import { metricStore, type TimeRange } from "@/test/support/metric_store.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Math.floor(Date.now() / DAY) * DAY - 2 * DAY;
/** Neither begins nor ends with a slot, and no step ends where one does. */
const RANGE = { startMs: START + 95 * MINUTE, endMs: START + 95 * MINUTE + 60 * 7 * MINUTE };
const STEP = 7 * MINUTE;

/** Ten hours of points, with a silence, of another length for each host. */
function gauge(host: number, everyMs: number, digits: number): NumberSeries {
  const count = Math.floor(10 * HOUR / everyMs) - host * 20;
  const points = Array.from({ length: count }, (_, place): [number, number] => [
    START + place * everyMs + host,
    ((place * 7_919 * host) % 1_000 - 300) / 10 ** digits,
  ]).filter(([time]) => time < START + 5 * HOUR || time > START + 5.5 * HOUR);
  return gaugeSeries("level", { host: `web-${host}` }, points);
}

/** What is to be told, straight from the points. */
function stepsOf({ points }: NumberSeries, { startMs, endMs }: TimeRange, stepMs: number) {
  const within = points.filter(({ timeMs }) => timeMs >= startMs && timeMs < endMs);
  const byStep = Map.groupBy(
    within,
    ({ timeMs }) => startMs + Math.floor((timeMs - startMs) / stepMs) * stepMs,
  );
  return [...byStep].map(([time, some]) => {
    const values = some.map(({ value }) => value);
    return {
      time,
      count: values.length,
      sum: Number(values.reduce((sum, value) => sum + value, 0).toFixed(3)) + 0,
      min: Math.min(...values),
      max: Math.max(...values),
      last: values.at(-1),
    };
  });
}

for (const everyMs of [MINUTE, MINUTE / 4]) {
  Deno.test(`steps of a gauge every ${everyMs / 1_000} s are the same at every stage of its slots`, async () => {
    const all = [gauge(1, everyMs, 0), gauge(2, everyMs, 3), gauge(3, everyMs, 1)];
    await using store = await metricStore();
    const told = async () => {
      const [first] = all;
      const steps = first === undefined ? [] : await store.steps(first, RANGE, STEP);
      return steps.map((each) =>
        each.kind === "gauge"
          ? Array.from(each.times, (time, place) => ({
            time,
            count: each.counts[place],
            sum: Number(each.sums[place]?.toFixed(3)) + 0,
            min: each.mins[place],
            max: each.maxs[place],
            last: each.lasts[place],
          }))
          : []
      ).sort((one, other) =>
        one.length - other.length || (one[0]?.sum ?? 0) - (other[0]?.sum ?? 0)
      );
    };
    const wanted = all.map((series) => stepsOf(series, RANGE, STEP))
      .sort((one, other) => one.length - other.length || (one[0]?.sum ?? 0) - (other[0]?.sum ?? 0));
    // Every tenth point comes late, when its slot is settled.
    const late = (isLate: boolean) =>
      all.map((series) => ({
        ...series,
        points: series.points.filter((_, place) => (place % 10 === 3) === isLate),
      }));
    await store.store(...late(false));
    await store.pack();
    await store.settle(new Date(START + 6 * HOUR));
    await store.store(...late(true));
    assert.deepEqual(await told(), wanted, "some slots are settled, and points wait");
    await store.pack();
    assert.deepEqual(await told(), wanted, "all is packed");
    await store.settle(new Date(START + DAY + HOUR));
    assert.deepEqual(await told(), wanted, "all is settled");
    await store.roll(new Date(START + DAY + 3 * HOUR));
    assert.deepEqual(await told(), wanted, "days are rolled up");
  });
}
