import assert from "node:assert/strict";
import { idsOf } from "@/lib/metrics/ids.ts";
import type { RawSeries, SeriesSteps } from "@/lib/metrics/points.ts";
import { rollUp } from "@/lib/metrics/rollup.ts";
import type { MetricSeries } from "@/lib/records/mod.ts";
import {
  counterSeries,
  explicitBuckets,
  gaugeSeries,
  histogramSeries,
} from "@/test/support/metric_series.ts";
import { metricStore } from "@/test/support/metric_store.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Yesterday: the day is over. */
const START = Math.floor(Date.now() / DAY) * DAY - DAY;
const RANGE = { startMs: START, endMs: START + DAY };

/** Every 40 s for a day, some of them on the edge of a minute. */
const TIMES = Array.from({ length: DAY / 40_000 }, (_, place) => START + place * 40_000);

/** The first number is as random as the place. */
const noise = (place: number) => (Math.imul(place + 7, 0x9e3779b1) >>> 0) % 1_000;

/** It begins anew twice, once by its start. */
function counter(): MetricSeries {
  let value = 0;
  const series = counterSeries("requests", { route: "/a" }, []);
  const points = TIMES.map((timeMs, place) => {
    const isReset = place === 700 || place === 1_400;
    value = isReset ? 3 : value + noise(place) / 10;
    return { timeMs, startMs: place < 1_400 ? START - HOUR : TIMES[1_399] ?? 0, value };
  });
  return { ...series, points };
}

function histogram(): MetricSeries {
  let counts = [0, 0, 0];
  const points = TIMES.map((time, place) => {
    counts = counts.map((count, bucket) => count + noise(place * 3 + bucket) % 5);
    return [time, explicitBuckets([1, 2], counts)] as const;
  });
  return { ...histogramSeries("duration", {}, points), temporality: "cumulative" };
}

const ALL: readonly MetricSeries[] = [
  counter(),
  gaugeSeries("memory", {}, TIMES.map((time, place) => [time, noise(place) / 100])),
  histogram(),
  jobs(),
];

/** Halves of the points, as two requests bring them. */
function halves(series: MetricSeries): [MetricSeries, MetricSeries] {
  const middle = series.points.length / 2;
  return [
    { ...series, points: series.points.slice(0, middle) } as MetricSeries,
    { ...series, points: series.points.slice(middle) } as MetricSeries,
  ];
}

/** Numbers that differ by the noise of adding up are the same. */
function assertClose(actual: unknown, expected: unknown): void {
  const rounded = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value, (_, each) =>
        each instanceof Float64Array
          ? [...each].map((number) =>
            Number(number.toPrecision(11))
          )
          : each),
    );
  assert.deepEqual(rounded(actual), rounded(expected));
}

Deno.test("a step is the same from points that wait, from blocks, from minutes and from hours", async () => {
  await using store = await metricStore();
  const firsts = ALL.map((series) => halves(series)[0]);
  const seconds = ALL.map((series) => halves(series)[1]);
  await store.store(...firsts);
  await store.store(...seconds);
  const steps = [MINUTE, 90_000, 7 * MINUTE, HOUR, 6 * HOUR];
  const read = async (): Promise<SeriesSteps[][]> => {
    const all: SeriesSteps[][] = [];
    for (const series of ALL) {
      for (const step of steps) all.push([...await store.steps(series, RANGE, step)]);
    }
    return all;
  };

  const waiting = await read();

  const [raw] = await store.raw(counter(), { ...RANGE, startMs: START - HOUR }) as [RawSeries];
  const whole = { stepMs: HOUR, originMs: START, ...RANGE };
  assertClose(waiting[3], [rollUp("counter", raw, whole, 0)]);
  assert.equal(await store.pack(), 2);
  assertClose(await read(), waiting);
  for (let now = START; now < START + DAY + HOUR; now += 5 * HOUR) {
    await store.settle(new Date(now));
  }
  assertClose(await read(), waiting);
  while (await store.settle(new Date(START + 2 * DAY)) > 0);
  assertClose(await read(), waiting);
  assert.ok(await store.roll(new Date(START + 2 * DAY + 2 * HOUR)) > 0);
  const blocks = await store.blocks();
  assert.ok(blocks.some((block) => block.startsWith("hour")));
  assert.deepEqual(blocks.filter((block) => block.endsWith("fresh")), []);
  assertClose(await read(), waiting);
});

/** What tells of growth alone: each point that is missing is missed. */
function jobs(): MetricSeries {
  return counterSeries("jobs", {}, TIMES.map((time, place) => [time, noise(place)]), {
    temporality: "delta",
  });
}

for (const all of [jobs(), histogram()]) {
  const { kind } = all.metric;
  Deno.test(`points of a ${kind} that come late are counted at once and in the end`, async () => {
    await using store = await metricStore();
    const pick = (late: boolean) =>
      ({
        ...all,
        points: all.points.filter((_, place) => (place % 50 === 20) === late),
      }) as MetricSeries;
    await store.store(all);
    const expected = await store.steps(all, RANGE, HOUR);
    await store.sql`delete from metric_batches`;
    await store.store(pick(false));
    await store.pack();
    const later = new Date(START + 2 * DAY + 2 * HOUR);
    while (await store.settle(later) > 0);
    await store.roll(later);

    await store.store(pick(true));
    assertClose(await store.steps(all, RANGE, HOUR), expected);
    await store.pack();
    assertClose(await store.steps(all, RANGE, HOUR), expected);
    // What is late a second time waits for more of its kind.
    assert.equal(await store.settle(new Date()), 0);
    assert.ok(await store.settle(later) > 0);
    assertClose(await store.steps(all, RANGE, HOUR), expected);
    while (await store.settle(later) > 0);
    assertClose(await store.steps(all, RANGE, HOUR), expected);
    assert.ok(await store.roll(later) > 0);
    assertClose(await store.steps(all, RANGE, HOUR), expected);
    assert.deepEqual((await store.blocks()).filter((block) => block.endsWith("fresh")), []);
  });
}

Deno.test("series are found by their ids among many", async () => {
  await using store = await metricStore();
  const many = Array.from(
    { length: 600 },
    (_, place) => gaugeSeries("load", { host: `h${place}` }, [[START, place], [START + 1, 1]]),
  );
  await store.store(...many);
  await store.pack();
  while (await store.settle(new Date(START + DAY)) > 0);
  const wanted = gaugeSeries("load", { host: "h77" }, []);
  const { readRaw } = await import("@/lib/metrics/read/raw.ts");
  const { readRollups } = await import("@/lib/metrics/read/raw.ts");
  const { metricId, seriesId } = idsOf(wanted);
  const request = { metricId, kind: "gauge" as const, seriesIds: [seriesId], ...RANGE };
  const raw = await readRaw(store.services, "1", request);
  assert.deepEqual(
    raw.series.map((series) => [series.seriesId, "values" in series && [...series.values]]),
    [
      [seriesId, [77, 1]],
    ],
  );
  const minutes = await readRollups(store.services, "1", request, "minute");
  assert.deepEqual(minutes.series.map((series) => series.seriesId), [seriesId]);
  assert.equal((await store.blocks()).length, 6);
});
