import assert from "node:assert/strict";
import type { ChartProps } from "@/lib/ui/charts/chart_data.ts";
import { brushedRange, brushTarget, durationAt, logAxis, shareAt } from "@/lib/ui/charts/axis.ts";
import {
  bucketAfterKey,
  bucketAt,
  bucketWords,
  joinCrosshair,
  shareCrosshair,
} from "@/lib/ui/charts/live/chart_life.ts";
import { markersNear } from "@/lib/ui/charts/live/layer.ts";
import { stretchBetween, zoomTarget } from "@/lib/ui/charts/live/drag.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 21, 8);
const CHART: ChartProps = {
  id: "c",
  title: "Duration",
  unit: "duration",
  times: [0, 1, 2, 3].map((count) => START + count * MINUTE),
  bucketMs: MINUTE,
  series: [{ label: "p50", values: [1, null, 3, 4] }, { label: "p95", values: [10, 20, 30, 40] }],
  markers: [{ at: START + 1.5 * MINUTE, label: "release web@2" }],
};

Deno.test("an instant belongs to the bucket whose middle is nearest", () => {
  assert.equal(bucketAt(CHART, START), 0);
  assert.equal(bucketAt(CHART, START + 1.2 * MINUTE), 1);
  assert.equal(bucketAt(CHART, START + 99 * MINUTE), 3);
  assert.equal(bucketAt({ ...CHART, times: [] }, START), null);
});

Deno.test("arrow keys walk the buckets, Home and End jump, Escape leaves", () => {
  assert.equal(bucketAfterKey("ArrowRight", null, 4), 0);
  assert.equal(bucketAfterKey("ArrowRight", 3, 4), 3);
  assert.equal(bucketAfterKey("ArrowLeft", null, 4), 3);
  assert.equal(bucketAfterKey("ArrowLeft", 0, 4), 0);
  assert.equal(bucketAfterKey("Home", 2, 4), 0);
  assert.equal(bucketAfterKey("End", 2, 4), 3);
  assert.equal(bucketAfterKey("Escape", 2, 4), null);
  assert.equal(bucketAfterKey("Tab", 2, 4), undefined);
});

Deno.test("a bucket is read out with its time, all values and its releases", () => {
  assert.equal(
    bucketWords(CHART, 1),
    "2026-11-21 08:01 UTC: p50 –, p95 20 ms, release web@2",
  );
});

Deno.test("a marker is named at its bucket and within reach of the crosshair", () => {
  assert.equal(markersNear(CHART, START + MINUTE, 0).length, 1);
  assert.equal(markersNear(CHART, START, 0).length, 0);
  assert.equal(markersNear(CHART, START, MINUTE).length, 1);
});

Deno.test("zooming chooses whole buckets, in either direction, and sets the page's time", () => {
  const stretch = { start: START + MINUTE, end: START + 3 * MINUTE };
  assert.deepEqual(stretchBetween(CHART, START + 1.5 * MINUTE, START + 2.1 * MINUTE), stretch);
  assert.deepEqual(stretchBetween(CHART, START + 2.1 * MINUTE, START + 1.5 * MINUTE), stretch);
  assert.equal(
    zoomTarget("/projects/1/performance?environment=a%26b&start=x", stretch),
    "/projects/1/performance?environment=a%26b" +
      "&start=2026-11-21T08%3A01%3A00Z&end=2026-11-21T08%3A03%3A00Z",
  );
  assert.match(zoomTarget("/p", stretch), /^\/p\?start=/);
});

Deno.test("charts of one key share the crosshair until they leave", () => {
  const seen: (number | null)[] = [];
  const own = () => seen.push(-1);
  const leaveOwn = joinCrosshair("k", own);
  const leave = joinCrosshair("k", (at) => seen.push(at));
  joinCrosshair("other", () => seen.push(-2))();
  shareCrosshair("k", own, 5);
  shareCrosshair("k", own, null);
  leave();
  shareCrosshair("k", own, 6);
  leaveOwn();
  assert.deepEqual(seen, [5, null]);
});

Deno.test("durations and their places on a logarithmic axis are each other's inverse", () => {
  const axis = logAxis([{ from: 1, to: 10, count: 1 }, { from: 10, to: 100, count: 1 }]);
  assert.deepEqual(axis, { low: 1, high: 100 });
  assert.ok(axis);
  assert.equal(shareAt(axis, 10), 0.5);
  assert.ok(Math.abs(durationAt(axis, 0.5) - 10) < 1e-9);
  assert.equal(shareAt(axis, 0), 0);
  assert.equal(shareAt(axis, 1e9), 1);
  assert.deepEqual(logAxis([{ from: 0, to: 4, count: 1 }]), { low: 2, high: 4 });
  assert.equal(logAxis([]), null);
});

Deno.test("brushing chooses whole buckets and sets min and max in ms", () => {
  const axis = { low: 1, high: 100 };
  const edges = [[1, 10], [10, 50], [50, 100]] as const;
  assert.deepEqual(brushedRange(axis, edges, 0.3, 0.6), { min: 1, max: 50 });
  assert.deepEqual(brushedRange(axis, edges, 0.6, 0.55), { min: 10, max: 50 });
  assert.equal(brushedRange(axis, [[1, 2]], 0.8, 0.9), null);
  assert.equal(
    brushTarget("/t?name=GET+%2F&min=3", { min: 1e-7, max: 8.0911151 }),
    "/t?name=GET+%2F&min=0&max=8.091115",
  );
});
