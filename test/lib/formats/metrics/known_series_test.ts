import assert from "node:assert/strict";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { prometheusWrite } from "@/lib/ingest/protocols/prometheus.ts";
import type { Batch, MetricSeries } from "@/lib/records/mod.ts";
import { decodeMetrics, decodeWith, only, outcomesOf, recordsOf } from "../otlp/decode_request.ts";
import { attributes, metrics, nanosAt, RECEIVED_AT, TRACE } from "../otlp/otlp_samples.ts";
import { metricsToProtobuf } from "../otlp/otlp_to_protobuf.ts";
import { type SeriesForm, toV1 } from "../prometheus/to_protobuf.ts";

type Point = Record<string, unknown>;

function pointOf(route: string, fields: Point = {}): Point {
  return {
    startTimeUnixNano: nanosAt(-60_000),
    timeUnixNano: nanosAt(0),
    asDouble: 1.5,
    attributes: attributes({ route, "http.status": 200 }),
    ...fields,
  };
}

function requestOf(points: readonly Point[], isMonotonic = true): Record<string, unknown> {
  const sum = { aggregationTemporality: 2, isMonotonic, dataPoints: points };
  return metrics([
    { name: "requests", unit: "1", sum },
    { name: "level", gauge: { dataPoints: points } },
  ]);
}

function read(request: unknown): Batch {
  return decodeWith(otlpMetrics, metricsToProtobuf(request), {
    contentType: "application/x-protobuf",
  });
}

function seriesIn(batch: Batch): readonly MetricSeries[] {
  return recordsOf(batch, "metrics").flatMap(({ series }) => series);
}

/** The same as JSON, which is read point by point. */
function assertReadAs(request: Record<string, unknown>): void {
  const batch = read(request);
  const expected = decodeMetrics(request);
  assert.deepEqual(seriesIn(batch), seriesIn(expected));
  assert.deepEqual(outcomesOf(batch), outcomesOf(expected));
}

const routes = (count: number) => Array.from({ length: count }, (_, place) => `/things/${place}`);

Deno.test("points of series that are known are read as they were the first time", () => {
  const request = requestOf(routes(20).map((route) => pointOf(route)));
  for (let time = 0; time < 3; time++) assertReadAs(request);
});

Deno.test("known series are read in whatever order they come", () => {
  assertReadAs(requestOf(routes(20).map((route) => pointOf(route))));
  assertReadAs(requestOf(routes(20).reverse().map((route) => pointOf(route))));
  assertReadAs(requestOf(routes(20).slice(7, 15).map((route) => pointOf(route))));
});

Deno.test("labels that begin like those of a known series are others", () => {
  const list = (more: Point) => ({ attributes: attributes({ route: "/a", ...more }) });
  assertReadAs(requestOf([pointOf("", list({ a: "1" })), pointOf("", list({ a: "2" }))]));
  assertReadAs(requestOf([pointOf("", list({})), pointOf("", list({ a: "1", b: "2" }))]));
  assertReadAs(requestOf([pointOf("", list({ a: "1", b: "2" })), pointOf("", list({}))]));
});

for (
  const [what, fields] of Object.entries({
    "a whole number": { asDouble: undefined, asInt: "-12345678901" },
    "no value": { asDouble: undefined },
    "no attributes": { attributes: [] },
    "a long label": { attributes: attributes({ route: "x".repeat(500) }) },
    "no time": { timeUnixNano: "0" },
    "a start behind its time": { startTimeUnixNano: nanosAt(1_000) },
    "a mark that nothing was recorded": { flags: 1 },
    "a negative value": { asDouble: -4 },
    "an example": {
      exemplars: [{ timeUnixNano: nanosAt(0), asDouble: 2, traceId: TRACE }],
    },
  })
) {
  Deno.test(`a known series is read with ${what}`, () => {
    const request = requestOf([pointOf("/before"), pointOf("/it", fields), pointOf("/after")]);
    for (let time = 0; time < 3; time++) assertReadAs(request);
  });
}

Deno.test("a series that comes twice in a request stands once in its batch", () => {
  const once = requestOf(["/a", "/b"].map((route) => pointOf(route)), false);
  assertReadAs(once);
  const later = { timeUnixNano: nanosAt(10), asDouble: 9 };
  const twice = requestOf([pointOf("/a"), pointOf("/b"), pointOf("/a", later)], false);
  assertReadAs(twice);
  const points = seriesIn(read(twice)).map((series) => series.points.length);
  assert.deepEqual(points, [2, 1, 2, 1]);
});

const NOW = RECEIVED_AT.getTime();

function write(series: readonly SeriesForm[], families: Parameters<typeof toV1>[1] = []): Batch {
  return decodeWith(prometheusWrite, toV1(series, families), {
    contentType: "application/x-protobuf",
    projectId: "7",
  });
}

const scraped = (value: number): SeriesForm[] =>
  routes(10).map((route) => ({
    labels: { __name__: "took_seconds", route },
    samples: [{ value, timeMs: NOW - 1_000 }],
  }));

Deno.test("samples of remote write that come again are read as the first time", () => {
  const values = (batch: Batch) =>
    seriesIn(batch).map(({ labels, points }) => [
      labels.map(([, value]) => value).join(),
      points.map((point) => "value" in point ? point.value : null).join(),
    ]);
  const first = values(write(scraped(1)));
  assert.equal(first.length, 10);
  assert.deepEqual(values(write(scraped(1))), first);
  assert.deepEqual(
    values(write(scraped(2).reverse())),
    first.map(([label]) => [label, "2"]).reverse(),
  );
});

Deno.test("a known series of remote write becomes another when its metric gets a type", () => {
  const kinds = (batch: Batch) => [...new Set(seriesIn(batch).map(({ metric }) => metric.kind))];
  assert.deepEqual(kinds(write(scraped(1))), ["gauge"]);
  assert.deepEqual(kinds(write(scraped(1))), ["gauge"]);
  const told = write(scraped(1), [{ type: 1, name: "took_seconds" }]);
  assert.deepEqual(kinds(told), ["counter"]);
  assert.equal(
    only([...new Set(seriesIn(write(scraped(1))).map(({ temporality }) => temporality))]),
    "cumulative",
  );
});
