import assert from "node:assert/strict";
import type { PprofLabel } from "@/lib/formats/pprof/encode.ts";
import { clippedOrder, flameChart, timeOrder } from "@/lib/profiles/trees/time_order.ts";
import { CPU, profileOf, SAMPLES } from "./profiles.ts";

const WALL = { type: "wall", unit: "nanoseconds" };

/** `at` and `lasted` in nanoseconds. */
function sample(stack: string, at: number, lasted: number, thread = "1", more: PprofLabel[] = []) {
  return {
    stack,
    value: [1n, BigInt(lasted)],
    labels: [
      { key: "thread_id", text: thread },
      { key: "offset", number: BigInt(at), unit: "nanoseconds" },
      ...more,
    ],
  };
}

function profile(...lines: ReturnType<typeof sample>[]) {
  return profileOf(lines, { sampleTypes: [SAMPLES, WALL] });
}

/** Boxes as text: two blanks a level, the function, from-until. */
function drawn(chart: ReturnType<typeof flameChart>): string[] {
  return chart.depths.map((depth, node) => {
    const name = chart.frames.names[chart.nodeFrames[node] ?? 0];
    const start = chart.starts[node] ?? 0;
    return `${"  ".repeat(depth)}${name} ${start}-${start + (chart.totals[node] ?? 0)}`;
  });
}

Deno.test("samples are in the order of their time, thread by thread", () => {
  const name = { key: "thread_name", text: "worker" };
  const order = timeOrder(
    [profile(
      sample("b", 20, 10),
      sample("a", 10, 10),
      sample("x", 5, 1, "2", [name, { key: "active_thread", text: "true" }]),
    )],
    WALL,
  );
  assert.deepEqual(
    order.threads.map((
      { id, name, isActive, samples },
    ) => [id, name, isActive, samples.map(({ start, duration }) => [start, duration])]),
    [["2", "worker", true, [[5, 1]]], ["1", "", false, [[10, 10], [20, 10]]]],
  );
  assert.deepEqual(order.type, WALL);
});

Deno.test("a stack lasts until the next one where values are no times, and never longer", () => {
  const lines = [sample("a", 0, 500), sample("b", 100, 5), sample("c", 130, 7)];
  const durations = (type: { type: string; unit: string }) =>
    timeOrder([profile(...lines)], type).threads[0]?.samples.map(({ duration }) => duration);
  assert.deepEqual(durations(WALL), [100, 5, 7]);
  assert.deepEqual(durations(SAMPLES), [100, 30, 0]);
});

Deno.test("a profile that does not tell its times has no threads", () => {
  const order = timeOrder([profileOf([{ stack: "a", value: 1n }])], CPU);
  assert.deepEqual(order.threads, []);
  assert.deepEqual(drawn(flameChart(order, "")), ["root 0-0"]);
});

Deno.test("a function on consecutive stacks is one box", () => {
  const order = timeOrder(
    [profile(
      sample("main;f;g", 0, 10),
      sample("main;f;h", 10, 10),
      sample("main;g", 20, 10),
      sample("main;f", 30, 10),
    )],
    WALL,
  );
  const chart = flameChart(order, "1");
  assert.deepEqual(drawn(chart), [
    "root 0-40",
    "  main 0-40",
    "    f 0-20",
    "      g 0-10",
    "      h 10-20",
    "    g 20-30",
    "    f 30-40",
  ]);
  assert.deepEqual(chart.selfs, [0, 0, 0, 10, 10, 10, 10]);
});

Deno.test("a break ends all boxes, and is time of the root itself", () => {
  const order = timeOrder(
    [profile(
      sample("main", 5, 10),
      sample("", 15, 10),
      sample("main", 25, 10),
      sample("main", 40, 5),
    )],
    WALL,
  );
  const chart = flameChart(order, "1");
  assert.deepEqual(drawn(chart), ["root 5-45", "  main 5-15", "  main 25-35", "  main 40-45"]);
  assert.equal(chart.selfs[0], 15);
});

Deno.test("small boxes are left out of a chart, which stays in order", () => {
  const lines = Array.from(
    { length: 100 },
    (_, at) => sample(`f${at % 2}`, at * 10, at === 7 ? 1 : 9),
  );
  const order = timeOrder([profile(...lines)], WALL);
  const chart = flameChart(order, "1", { minShare: 0.005 });
  assert.equal(chart.depths.length, 100);
  assert.deepEqual(chart.cut, [[0, 1]]);
  assert.deepEqual(chart.starts.slice(1), chart.starts.slice(1).toSorted((a, b) => a - b));
});

Deno.test("profiles that follow each other are one order, of which a stretch can be cut", () => {
  const order = timeOrder(
    [
      { ...profile(sample("main", 0, 10), sample("main;f", 10, 10)), timeNanos: 1_000n },
      { ...profile(sample("main;f", 5, 10)), timeNanos: 1_015n },
    ],
    WALL,
  );
  assert.deepEqual(drawn(flameChart(order, "1")), [
    "root 0-30",
    "  main 0-30",
    "    f 10-30",
  ]);
  assert.deepEqual(drawn(flameChart(clippedOrder(order, 5, 25), "1")), [
    "root 0-20",
    "  main 0-20",
    "    f 5-20",
  ]);
});
