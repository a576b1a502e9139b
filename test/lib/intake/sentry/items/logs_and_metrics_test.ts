import assert from "node:assert/strict";
import { decodeItem, NOW, only, reasons, TRACE } from "./decode_item.ts";

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

Deno.test("an observation of a metric becomes a point", () => {
  const { pointId: _i, receivedAt: _r, timestamp: _t, ...rest } = only(
    decodeItem("trace_metric", {
      items: [{
        timestamp: NOW,
        trace_id: TRACE,
        name: "queue.wait",
        type: "distribution",
        unit: "millisecond",
        value: 12.5,
        attributes: { queue: text("mail") },
      }],
    }),
    "metric",
  );
  assert.deepEqual(rest, {
    kind: "metric",
    name: "queue.wait",
    type: "distribution",
    unit: "millisecond",
    value: 12.5,
    traceId: TRACE,
    spanId: null,
    environment: "",
    release: "",
    attributes: '{"queue":"mail"}',
  });
});

Deno.test("metrics of unknown types, without a name or a number are invalid", () => {
  const items = [
    { timestamp: NOW, name: "x", type: "set", value: 1 },
    { timestamp: NOW, name: "x", type: "gauge", value: null },
    { timestamp: NOW, type: "gauge", value: 1 },
  ];
  assert.deepEqual(reasons(decodeItem("trace_metric", { items })), [
    "3 trace_metric invalid/invalid_metric",
  ]);
});
