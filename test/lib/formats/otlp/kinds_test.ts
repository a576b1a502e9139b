import assert from "node:assert/strict";
import { TRACE } from "./otlp_samples.ts";
import { attributes, nanosAt, RECEIVED_AT } from "./otlp_samples.ts";
import {
  batchOf,
  exponential,
  histogram,
  histogramPointOf,
  histogramsOf,
  labelsOf,
  numbersOf,
  point,
  sum,
} from "./read_batch.ts";

const TIME = RECEIVED_AT.getTime() - 60_000;

Deno.test("a cumulative sum is a counter with its start, unit and description", () => {
  const { metric, temporality, points } = numbersOf(sum([point()]));
  assert.deepEqual(metric, {
    name: "requests",
    kind: "counter",
    unit: "{request}",
    description: "How many",
  });
  assert.equal(temporality, "cumulative");
  assert.deepEqual(points, [{ timeMs: TIME, startMs: TIME - 60_000, value: 7 }]);
});

Deno.test("temporality and monotonicity decide what a sum is", () => {
  const kindOf = (fields: Record<string, unknown>) => {
    const { metric, temporality } = numbersOf(sum([point({ asDouble: -7 })], fields));
    return `${metric.kind} ${temporality}`;
  };
  assert.equal(kindOf({ isMonotonic: false }), "gauge level");
  assert.equal(kindOf({ isMonotonic: false, aggregationTemporality: 1 }), "counter delta");
  const delta = { aggregationTemporality: "AGGREGATION_TEMPORALITY_DELTA" };
  const { metric, temporality } = numbersOf(sum([point()], delta));
  assert.equal(`${metric.kind} ${temporality}`, "counter delta");
});

Deno.test("a gauge has no start, and takes whole numbers as well", () => {
  const gauge = { name: "heap", unit: "By", gauge: { dataPoints: [point({ asInt: "-12" })] } };
  const { metric, temporality, points } = numbersOf(gauge);
  assert.deepEqual([metric.kind, temporality, metric.unit], ["gauge", "level", "By"]);
  assert.deepEqual(points, [{ timeMs: TIME, startMs: 0, value: -12 }]);
});

Deno.test("times keep their microseconds", () => {
  const at = String(BigInt(nanosAt(0)) + 123_456_789n);
  const [first] = numbersOf(sum([point({ timeUnixNano: at })])).points;
  assert.equal(first?.timeMs, TIME + 123.457);
});

Deno.test("a histogram keeps its buckets; minimum and maximum only of a delta", () => {
  assert.deepEqual(histogramPointOf(histogram({ min: 0.5, max: 3 })), {
    timeMs: TIME,
    startMs: TIME - 60_000,
    count: 6,
    sum: 8.5,
    min: null,
    max: null,
    buckets: { kind: "explicit", bounds: [1, 2], counts: [1, 2, 3] },
  });
  const { min, max } = histogramPointOf(histogram({ min: 0.5, max: 3 }, 1));
  assert.deepEqual([min, max], [0.5, 3]);
  assert.equal(histogramsOf(histogram({}, 1)).temporality, "delta");
});

Deno.test("a histogram may have no sum and no buckets, and name the infinite bound", () => {
  const none = histogramPointOf(histogram({ sum: null, bucketCounts: [], explicitBounds: [] }));
  assert.equal(none.sum, null);
  assert.deepEqual(none.buckets, { kind: "explicit", bounds: [], counts: [] });
  const single = histogramPointOf(histogram({ bucketCounts: ["6"], explicitBounds: [] }));
  assert.deepEqual(single.buckets, none.buckets);
  const infinite = histogramPointOf(
    histogram({ bucketCounts: ["1", "2", "3", "0"], explicitBounds: [1, 2, "Infinity"] }),
  );
  assert.deepEqual(infinite.buckets, { kind: "explicit", bounds: [1, 2], counts: [1, 2, 3] });
});

Deno.test("an exponential histogram becomes sparse", () => {
  assert.deepEqual(histogramPointOf(exponential()).buckets, {
    kind: "exponential",
    scale: 2,
    zeroCount: 1,
    zeroThreshold: 0,
    positive: { indexes: [4, 6], counts: [2, 3] },
    negative: { indexes: [], counts: [] },
  });
});

Deno.test("an exponential histogram of very many buckets goes to a coarser scale", () => {
  const bucketCounts = new Array(1_000).fill("1");
  const { buckets, count } = histogramPointOf(
    exponential({ scale: 8, zeroCount: 0, count: 1_000, positive: { offset: 0, bucketCounts } }),
  );
  assert.ok(buckets.kind === "exponential");
  assert.equal(buckets.scale, 6);
  assert.equal(buckets.positive.counts.reduce((total, each) => total + each), count);
});

Deno.test("a summary is a gauge by quantile, and counters of how many and of their sum", () => {
  const { asDouble: _, ...common } = point();
  const { series, pointCount } = batchOf({
    name: "took",
    unit: "s",
    summary: {
      dataPoints: [{
        ...common,
        count: "5",
        sum: 2.5,
        quantileValues: [{ quantile: 0.5, value: 0.4 }, { quantile: 0.99, value: "NaN" }],
      }],
    },
  });
  const lines = series.map((each) => {
    const { metric, temporality, shape } = each;
    const value = shape === "number" ? each.points[0]?.value : null;
    const { quantile = "-" } = labelsOf(each);
    return [metric.name, metric.kind, metric.unit, temporality, quantile, value].join(" ");
  });
  assert.deepEqual(lines, [
    "took_count counter  cumulative - 5",
    "took_sum counter s cumulative - 2.5",
    "took gauge s level 0.5 0.4",
  ]);
  assert.equal(pointCount, 3);
});

Deno.test("exemplars with a trace are kept, five of a point", () => {
  const exemplar = (fields: Record<string, unknown> = {}) => ({
    timeUnixNano: nanosAt(-5),
    asDouble: 0.25,
    traceId: TRACE.toUpperCase(),
    spanId: "eee19b7ec3c1b174",
    ...fields,
  });
  const without = [
    exemplar({ traceId: "" }),
    exemplar({ traceId: "ab" }),
    exemplar({ asDouble: "NaN" }),
  ];
  const { exemplars } = histogramsOf(histogram({ exemplars: [...without, exemplar()] }));
  const spanId = "eee19b7ec3c1b174";
  assert.deepEqual(exemplars, [{ timeMs: TIME - 5, value: 0.25, traceId: TRACE, spanId }]);
  const timeless = numbersOf(sum([point({ exemplars: [exemplar({ timeUnixNano: "0" })] })]));
  assert.equal(timeless.exemplars[0]?.timeMs, TIME);
  const many = Array.from({ length: 9 }, () => exemplar());
  assert.equal(numbersOf(sum([point({ exemplars: many })])).exemplars.length, 5);
});

Deno.test("a request keeps 500 exemplars", () => {
  const exemplars = Array.from({ length: 5 }, () => ({ asInt: 1, traceId: TRACE }));
  const points = Array.from(
    { length: 200 },
    (_, index) => point({ exemplars, attributes: attributes({ index }) }),
  );
  const { series } = batchOf(sum(points));
  assert.equal(series.reduce((total, each) => total + each.exemplars.length, 0), 500);
});

Deno.test("equal series of a request are one, however their metric and labels are written", () => {
  const reversed = point({ attributes: attributes({ b: 2, a: "1" }), asDouble: 1 });
  const straight = point({ attributes: attributes({ a: "1", b: "2" }), asDouble: 2 });
  const { series } = batchOf(
    sum([reversed]),
    sum([straight]),
    sum([straight], { isMonotonic: false }),
  );
  assert.deepEqual(series.map(({ points, metric }) => `${metric.kind} ${points.length}`), [
    "counter 2",
    "gauge 1",
  ]);
});

Deno.test("another kind or unit of a known name is a metric beside it", () => {
  const { series } = batchOf(
    sum([point()]),
    { ...sum([point()]), unit: "1" },
    { name: "requests", unit: "{request}", gauge: { dataPoints: [point()] } },
  );
  assert.equal(new Set(series.map(({ metric }) => metric)).size, 3);
});

Deno.test("the batch has the time of its earliest point, and the same id for the same request", () => {
  const request = sum([point(), point({ timeUnixNano: nanosAt(-90_000) })]);
  const batch = batchOf(request);
  assert.equal(batch.timestamp.getTime(), TIME - 90_000);
  assert.equal(batch.pointCount, 2);
  assert.match(batch.batchId, /^[0-9a-f]{32}$/);
  assert.equal(batchOf(request).batchId, batch.batchId);
});
