import assert from "node:assert/strict";
import { counterSeries, gaugeSeries } from "@/test/support/metric_series.ts";
import { metricStore } from "@/test/support/metric_store.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Math.floor(Date.now() / DAY) * DAY - 2 * DAY;
const LATER = new Date(START + DAY + 3 * HOUR);
const RANGE = { startMs: START + 2 * HOUR, endMs: START + 6 * HOUR };

/** Six hours of points, and a restart in the middle. */
function counter(everyMs: number) {
  const points = Array.from({ length: 6 * HOUR / everyMs }, (_, place): [number, number] => {
    const time = START + (place + 1) * everyMs;
    return [time, (time - START) / 1_000 % 15_000];
  });
  return counterSeries("jobs", {}, points, { startMs: START });
}

function gauge(everyMs: number) {
  const points = Array.from({ length: 6 * HOUR / everyMs }, (_, place): [number, number] => [
    START + place * everyMs,
    place % 7,
  ]);
  return gaugeSeries("level", {}, points);
}

async function stages(series: ReturnType<typeof counter>) {
  await using store = await metricStore();
  await store.store(series);
  const read = async () => ({
    minutes: await store.steps(series, RANGE, MINUTE),
    tens: await store.steps(series, RANGE, 10 * MINUTE),
    hours: await store.steps(series, RANGE, HOUR),
  });
  const written = await read();
  await store.pack();
  await store.settle(LATER);
  const settled = await read();
  const blocks = await store.blocks();
  await store.roll(LATER);
  const rolled = await read();
  return { written, settled, rolled, blocks, after: await store.blocks() };
}

for (const [what, make] of [["counter", counter], ["gauge", gauge]] as const) {
  Deno.test(`a ${what} with a point a minute is stored without minutes, and tells the same`, async () => {
    const { written, settled, rolled, blocks, after } = await stages(make(MINUTE));
    assert.equal(blocks.filter((block) => block.startsWith("minute")).length, 0);
    assert.equal(after.filter((block) => block.startsWith("hour")).length, 1);
    assert.equal(written.hours[0]?.times.length, 4);
    assert.deepEqual(settled, written);
    assert.deepEqual(rolled, written);
  });

  Deno.test(`a ${what} with more points than minutes has minutes`, async () => {
    const { written, settled, rolled, blocks } = await stages(make(MINUTE / 4));
    assert.ok(blocks.some((block) => block.startsWith("minute")));
    assert.deepEqual(settled, written);
    assert.deepEqual(rolled, written);
  });
}
