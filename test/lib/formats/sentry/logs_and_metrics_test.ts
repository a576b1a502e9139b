import assert from "node:assert/strict";
import { decodeEnvelopeBytes } from "@/test/support/decode_events.ts";
import { decodeItem, NOW, only, reasons, RECEIVED_AT, TRACE } from "./decode_item.ts";

const text = (value: string) => ({ value, type: "string" });
const log = (fields: Record<string, unknown> = {}) => ({
  timestamp: NOW - 1,
  level: "warning",
  body: "Stock is low",
  trace_id: TRACE,
  span_id: "00f067aa0ba902b7",
  attributes: {
    "sentry.release": text("shop@1.0"),
    "sentry.environment": text("production"),
    "logger.name": text("stock"),
    "server.address": text("web-1"),
    "sentry.sdk.name": text("sentry.python"),
    "sentry.sdk.version": text("2.68.0"),
    "api_key": text("abc123"),
    count: { value: 3, type: "integer" },
  },
  ...fields,
});

Deno.test("a log becomes a record with its release, logger and server as columns", () => {
  const { attributes, logId, receivedAt: _, timestamp, ...rest } = only(
    decodeItem("log", { version: 2, items: [log()] }, { header: { item_count: 1 } }),
    "log",
  );
  assert.match(logId, /^[0-9a-f]{32}$/);
  assert.equal(timestamp.getTime(), (NOW - 1) * 1000);
  assert.equal(JSON.parse(attributes).count, 3);
  assert.deepEqual(rest, {
    kind: "log",
    nanos: 0,
    place: 0,
    level: "warn",
    body: "Stock is low",
    traceId: TRACE,
    spanId: "00f067aa0ba902b7",
    environment: "production",
    release: "shop@1.0",
    logger: "stock",
    server: "web-1",
    sdk: "sentry.python/2.68.0",
  });
});

Deno.test("logs keep the microseconds of their clock, and which of their request they are", () => {
  // As a double, the first times 1000 is below its millisecond.
  const sent = [NOW - 0.877, NOW - 0.876_999, NOW - 0.000_001];
  const { records } = decodeItem("log", { items: sent.map((timestamp) => log({ timestamp })) });
  assert.deepEqual(
    records.map((record) =>
      record.kind === "log" &&
      [record.timestamp.getTime() - NOW * 1000, record.nanos, record.place]
    ),
    [[-877, 0, 0], [-877, 1_000, 1], [-1, 999_000, 2]],
  );
});

Deno.test("Go's logs come with a whole event around them, and times as text", () => {
  const { timestamp, traceId } = only(
    decodeItem("log", {
      event_id: "",
      level: "info",
      items: [log({ timestamp: "2026-11-21T01:19:59.5+01:00", trace_id: "" })],
    }),
    "log",
  );
  assert.equal(timestamp.toISOString(), "2026-11-21T00:19:59.500Z");
  assert.equal(traceId, null);
});

Deno.test("one bad log costs only itself, whatever the header says about their number", () => {
  const { records, outcomes } = decodeItem(
    "log",
    { items: [log(), { level: "info" }, null, log({ attributes: [] })] },
    { header: { item_count: 99 } },
  );
  assert.equal(records.length, 2);
  assert.deepEqual(outcomes, [
    { category: "log_item", kind: "invalid", reason: "invalid_log", quantity: 2 },
  ]);
});

Deno.test("logs of one request have ids of their own, the same when it is replayed", () => {
  const ids = () =>
    decodeItem("log", { items: [log(), log()] }).records.map((record) =>
      record.kind === "log" && record.logId
    );
  assert.equal(new Set(ids()).size, 2);
  assert.deepEqual(ids(), ids());
});

Deno.test("a container that is too long is taken up to its cap, and the rest is counted", () => {
  const items = Array.from({ length: 5_010 }, () => ({ timestamp: NOW, body: "x" }));
  const { records, outcomes } = decodeItem("log", { items });
  assert.equal(records.length, 5_000);
  assert.deepEqual(outcomes, [
    { category: "log_item", kind: "too_large", reason: "too_many_elements", quantity: 10 },
  ]);
});

Deno.test("a flood of tiny values is refused, and what is beside it in the request is kept", () => {
  const flood = `{"items":[${"{},".repeat(1_000_000)}{}]}`;
  const lines = [
    ...["{}", '{"type":"log"}', flood, '{"type":"log"}', JSON.stringify({ items: [log()] })],
    ...['{"type":"event"}', '{"message":"still here"}'],
  ];
  const bytes = new TextEncoder().encode(lines.join("\n"));
  const { records, outcomes } = decodeEnvelopeBytes(bytes, { receivedAt: RECEIVED_AT });
  assert.deepEqual(records.map(({ kind }) => kind), ["log", "error"]);
  assert.deepEqual(outcomes, [
    { category: "log_item", kind: "too_large", reason: "too_many_parts", quantity: 1 },
  ]);
});

Deno.test("a thousand logs of a hundred attributes are taken; of more what is beyond is counted", () => {
  const attributes = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`attribute.${index}`, text("some value")]),
  );
  const items = Array.from({ length: 1_000 }, () => log({ attributes }));
  assert.equal(decodeItem("log", { items }).records.length, 1_000);
  const tiny = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, 1]));
  const many = Array.from({ length: 2_100 }, () => log({ attributes: tiny }));
  const { records, outcomes } = decodeItem("log", { items: many });
  assert.equal(records.length, 2_000);
  assert.deepEqual(outcomes, [
    { category: "log_item", kind: "too_large", reason: "too_many_attributes", quantity: 100 },
  ]);
});

const observed = (fields: Record<string, unknown>) => ({
  timestamp: NOW,
  trace_id: TRACE,
  name: "queue.wait",
  type: "distribution",
  unit: "millisecond",
  value: 12.5,
  attributes: { queue: text("mail") },
  ...fields,
});
const seriesOf = (...items: unknown[]) =>
  only(decodeItem("trace_metric", { items }), "metrics").series;

Deno.test("an observation of a distribution becomes a histogram of one", () => {
  const [series, ...others] = seriesOf(observed({}));
  assert.deepEqual(others, []);
  assert.ok(series?.shape === "histogram");
  const { metric, temporality, labels, points: [point], exemplars } = series;
  assert.deepEqual(metric, { name: "queue.wait", kind: "histogram", unit: "ms", description: "" });
  assert.deepEqual([temporality, labels], ["observed", [["queue", "mail"]]]);
  assert.deepEqual([point?.count, point?.sum, point?.min, point?.max], [1, 12.5, 12.5, 12.5]);
  const timeMs = Math.round(NOW * 1000);
  assert.deepEqual(exemplars, [{ traceId: TRACE, spanId: null, timeMs, value: 12.5 }]);
});

Deno.test("the bucket of an observation holds it, and is less than 1.1 % wide", () => {
  for (const value of [1e-9, 0.37, 1, 2, 1024, 12.5, 3e12, -4, -0.02]) {
    const [series] = seriesOf(observed({ value }));
    assert.ok(series?.shape === "histogram");
    const buckets = series.points[0]?.buckets;
    assert.ok(buckets?.kind === "exponential");
    const [side, other] = value > 0
      ? [buckets.positive, buckets.negative]
      : [buckets.negative, buckets.positive];
    assert.deepEqual([side.counts, other.counts, buckets.zeroCount], [[1], [], 0]);
    const end = (index: number) => 2 ** (index / 2 ** buckets.scale);
    const index = side.indexes[0] ?? NaN;
    assert.ok(end(index) < Math.abs(value) && Math.abs(value) <= end(index + 1), String(value));
    assert.ok(end(1) - 1 < 0.011);
  }
  const [zero] = seriesOf(observed({ value: 0 }));
  const point = zero?.shape === "histogram" ? zero.points[0] : undefined;
  assert.ok(point?.buckets.kind === "exponential");
  assert.equal(point.buckets.zeroCount, 1);
});

Deno.test("counters and gauges are numbers; equal series of an item are one, each observation a point", () => {
  const counter = { type: "counter", unit: undefined, value: 2 };
  const series = seriesOf(
    observed(counter),
    observed({ ...counter, value: -1 }),
    observed({ type: "gauge", unit: "request", value: 3 }),
    observed({ ...counter, attributes: {} }),
  );
  const lines = series.map(({ metric, temporality, points }) =>
    `${metric.kind} ${temporality} ${metric.unit} ${points.length}`
  );
  assert.deepEqual(lines, [
    "counter observed  2",
    "gauge level {request} 1",
    "counter observed  1",
  ]);
});

Deno.test("release, environment and service are labels by our names; the SDK and the user are none", () => {
  const attributes = {
    "sentry.release": text("shop@1"),
    "sentry.environment": text("eu"),
    "sentry.timestamp.sequence": { value: 7, type: "integer" },
    "service.name": text("shop"),
    "user.id": text("4711"),
    "server.address": text("web-1"),
    retries: { value: 3, type: "integer" },
  };
  assert.deepEqual(seriesOf(observed({ attributes }))[0]?.labels, [
    ["environment", "eu"],
    ["release", "shop@1"],
    ["retries", "3"],
    ["server.address", "web-1"],
    ["service", "shop"],
  ]);
});

Deno.test("an observation whose labels are too long is counted, those beside it are kept", () => {
  const long = { attributes: { a: text("x".repeat(2_000)) } };
  const decoded = decodeItem("trace_metric", { items: [observed(long), observed({})] });
  assert.deepEqual(decoded.outcomes, [
    { category: "trace_metric", kind: "invalid", reason: "label_too_long", quantity: 1 },
  ]);
  const [record] = decoded.records;
  assert.ok(record?.kind === "metrics");
  assert.equal(record.pointCount, 1);
});

Deno.test("metrics of unknown types, without a name or a number, or of 1970 are invalid", () => {
  const items = [
    { timestamp: NOW, name: "x", type: "set", value: 1 },
    { timestamp: NOW, name: "x", type: "gauge", value: null },
    { timestamp: NOW, type: "gauge", value: 1 },
    { timestamp: 1e-9, name: "x", type: "gauge", value: 1 },
    { timestamp: "1970-01-01T00:00:00.000000001Z", name: "x", type: "gauge", value: 1 },
  ];
  assert.deepEqual(reasons(decodeItem("trace_metric", { items })), [
    "5 trace_metric invalid/invalid_metric",
  ]);
});
