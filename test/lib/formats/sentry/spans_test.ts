import assert from "node:assert/strict";
import { decodeEnvelopeBytes } from "@/test/support/decode_events.ts";
import { decodeItem, NOW, only, reasons, TRACE } from "./decode_item.ts";

const SEGMENT = "00f067aa0ba902b7";
const CHILD = "b7ad6b7169203331";
const header = { item_count: 2, content_type: "application/vnd.sentry.items.span.v2+json" };

const text = (value: string) => ({ value, type: "string" });

const segment = {
  trace_id: TRACE,
  span_id: SEGMENT,
  name: "GET /users/:id",
  status: "error",
  is_segment: true,
  start_timestamp: NOW - 2,
  end_timestamp: NOW - 1,
  attributes: {
    "sentry.op": text("http.server"),
    "sentry.release": text("shop@1.0"),
    "sentry.environment": text("production"),
    "sentry.segment.name.source": text("route"),
    "sentry.sdk.name": text("sentry.javascript.node"),
    "sentry.sdk.version": text("11.12.0"),
    "http.request.method": text("GET"),
    "http.response.status_code": { value: 404.0, type: "integer" },
    "user.id": text("7"),
    "browser.web_vital.lcp.value": { value: 1200, type: "double" },
    "sentry.sample_rate": { value: 0.25, type: "double" },
    broken: { value: {}, type: "string" },
    infinite: { value: null, type: "double" },
  },
};
const child = {
  trace_id: TRACE,
  span_id: CHILD,
  parent_span_id: SEGMENT,
  name: "select",
  status: "ok",
  start_timestamp: NOW - 1.9,
  end_timestamp: NOW - 1.8,
  attributes: {
    "db.system.name": text("postgresql"),
    "db.query.text": text("select 1"),
    "sentry.segment.id": text(SEGMENT),
  },
};

Deno.test("a container of spans becomes a row of spans for each trace, and a transaction for each segment", () => {
  const { records, outcomes } = decodeItem(
    "span",
    { version: 2, items: [segment, child] },
    { header },
  );
  assert.deepEqual(outcomes, []);
  const [transaction, batch] = records;
  assert.ok(transaction?.kind === "transaction" && batch?.kind === "spans");
  assert.equal(transaction.sentAs, "segment");
  assert.match(transaction.eventId, /^[0-9a-f]{32}$/);
  assert.equal(transaction.name, "GET /users/:id");
  assert.equal(transaction.httpStatus, 404);
  assert.equal(transaction.status, "not_found");
  assert.equal(transaction.isFailed, false);
  assert.equal(transaction.route, "/users/:id");
  assert.equal(transaction.payload, "");
  assert.equal(transaction.release, "shop@1.0");
  assert.equal(transaction.environment, "production");
  assert.equal(transaction.user, "id:7");
  assert.equal(transaction.platform, "node");
  assert.equal(transaction.clientSampleRate, 0.25);
  assert.deepEqual(transaction.measurements, [{ name: "lcp", value: 1200, unit: "millisecond" }]);
  assert.deepEqual(batch.spans.map(({ op, description }) => [op, description]), [
    ["http.server", "GET /users/:id"],
    ["db", "select 1"],
  ]);
  assert.deepEqual(batch.spans.map(({ category, group }) => [category, group]), [
    ["", ""],
    ["db", "select ?"],
  ]);
  assert.equal(batch.spans[1]?.segmentId, SEGMENT);
  assert.equal(batch.spans[1]?.name, "select");
  assert.equal(batch.transaction, "GET /users/:id");
});

function decodeSpans(...items: unknown[]) {
  return decodeItem("span", { items }, { header });
}

Deno.test("a row of spans has the same id from whichever request and in whichever order they come", () => {
  const ids = [["a", [segment, child]], ["b", [child, segment]]] as const;
  const [first, second] = ids.map(([requestId, items]) => {
    const { records } = decodeItem("span", { items }, { header }, { requestId });
    return records.flatMap((record) => record.kind === "spans" ? [record.batchId] : [])[0];
  });
  assert.equal(first, second);
});

Deno.test("a segment that is named by its method alone gets its path", () => {
  const { records } = decodeSpans({
    ...segment,
    name: "GET",
    attributes: {
      ...segment.attributes,
      "sentry.segment.name.source": text("url"),
      "http.response.status_code": { value: 200, type: "integer" },
      "url.path": text("/users/17"),
    },
  }, child);
  const [transaction, batch] = records;
  assert.ok(transaction?.kind === "transaction" && batch?.kind === "spans");
  assert.deepEqual([transaction.name, transaction.source, transaction.route], [
    "GET /users/{id}",
    "sanitized",
    "/users/{id}",
  ]);
  assert.equal(batch.transaction, "GET /users/{id}");
});

Deno.test("of spans with one id the last holds, and the others are counted", () => {
  const { records, outcomes } = decodeSpans(child, { ...child, name: "later" });
  assert.ok(records[0]?.kind === "spans");
  assert.deepEqual(records[0].spans.map(({ name }) => name), ["later"]);
  assert.deepEqual(outcomes, [
    { category: "span", kind: "duplicate", reason: "same_span_id", quantity: 1 },
  ]);
});

Deno.test("links of streamed spans bring their attributes", () => {
  const links = [{
    trace_id: "f".repeat(32),
    span_id: SEGMENT,
    attributes: { "sentry.link.type": text("previous_trace") },
  }];
  const { records } = decodeSpans({ ...child, links });
  assert.ok(records[0]?.kind === "spans");
  assert.deepEqual(records[0].spans[0]?.links, [{
    traceId: "f".repeat(32),
    spanId: SEGMENT,
    attributes: { "sentry.link.type": "previous_trace" },
  }]);
});

Deno.test("a vital that comes alone belongs to the page it names", () => {
  const vital = {
    ...child,
    name: "Click",
    attributes: {
      "sentry.op": text("ui.interaction.click"),
      "sentry.origin": text("auto.ui.browser.inp"),
      "sentry.segment.name": text("/users/17"),
      "browser.web_vital.inp.value": { value: 96, type: "double" },
    },
  };
  const { records } = decodeSpans(vital);
  assert.ok(records[0]?.kind === "spans");
  assert.equal(records[0].transaction, "/users/{id}");
  assert.deepEqual(records[0].spans[0]?.measurements, [
    { name: "inp", value: 96, unit: "millisecond" },
  ]);
});

Deno.test("a vital that comes beside a request of the page belongs to the page it names", () => {
  const sent = new URL(
    "../../../fixtures/sentry_spans/browser-11.12.0-lcp_beside_request.envelope",
    import.meta.url,
  );
  const { records } = decodeEnvelopeBytes(Deno.readFileSync(sent), {
    receivedAt: new Date("2026-11-22T22:20:00Z"),
  });
  const rows = records.flatMap((record) =>
    record.kind === "spans"
      ? [[record.transaction, record.spans.flatMap(({ measurements }) => measurements)]]
      : []
  );
  const lcp = { name: "lcp", value: 108, unit: "millisecond" };
  assert.deepEqual(rows, [["/users/:id", [lcp]], ["GET shop.example.com", []]]);
});

Deno.test("a segment has the same id from whichever request it comes", () => {
  const ids = ["a", "b"].map((requestId) => {
    const [record] = decodeItem("span", { items: [segment] }, { header }, { requestId }).records;
    assert.ok(record?.kind === "transaction");
    return record.eventId;
  });
  assert.equal(ids[0], ids[1]);
});

Deno.test("spans of several traces in one container become several rows", () => {
  const other = { ...child, trace_id: "f".repeat(32) };
  const { records } = decodeItem("span", { items: [child, other] }, { header });
  assert.deepEqual(records.map((record) => record.kind === "spans" && record.traceId), [
    TRACE,
    "f".repeat(32),
  ]);
});

Deno.test("one bad element of a container costs only itself", () => {
  const bad = { ...child, end_timestamp: NOW - 100 };
  const { records, outcomes } = decodeItem("span", { items: [bad, child, null, 7] }, { header });
  assert.equal(records.length, 1);
  assert.deepEqual(outcomes, [
    { category: "span", kind: "invalid", reason: "invalid_span", quantity: 3 },
  ]);
});

Deno.test("a span that began before all that is kept counts in other units, and is no use", () => {
  const alone = { trace_id: TRACE, span_id: CHILD, start_timestamp: 1, timestamp: NOW };
  const first = "1970-01-01T00:00:00.000000001Z";
  for (
    const { records, outcomes } of [
      decodeItem("span", alone),
      decodeItem("span", { ...alone, start_timestamp: first, timestamp: first }),
      decodeItem("span", { items: [{ ...child, start_timestamp: 1 }] }, { header }),
      decodeItem("span", { items: [{ ...child, start_timestamp: 1e-9, end_timestamp: 1e-9 }] }, {
        header,
      }),
    ]
  ) {
    assert.deepEqual(records, []);
    assert.deepEqual(outcomes.map(({ reason }) => reason), ["invalid_span"]);
  }
});

Deno.test("a span by itself, as browsers send vitals, is a row", () => {
  const record = only(
    decodeItem("span", {
      trace_id: TRACE,
      span_id: CHILD,
      op: "ui.interaction.click",
      start_timestamp: NOW - 1,
      timestamp: NOW - 0.5,
      measurements: { inp: { value: 120, unit: "millisecond" } },
      data: { transaction: "/cart/17", release: "web@2", "service.name": "shop" },
    }),
    "spans",
  );
  assert.equal(record.transaction, "/cart/{id}");
  assert.equal(record.service, "shop");
  assert.equal(record.release, "web@2");
  assert.deepEqual(record.spans[0]?.measurements, [
    { name: "inp", value: 120, unit: "millisecond" },
  ]);
  assert.deepEqual(reasons(decodeItem("span", {})), ["1 span invalid/invalid_span"]);
});

Deno.test("a span that measures an interaction and does not say how long, says it by its length", () => {
  const record = only(
    decodeItem("span", {
      trace_id: TRACE,
      span_id: CHILD,
      op: "ui.interaction.press",
      origin: "auto.http.browser.inp",
      start_timestamp: NOW - 1,
      timestamp: NOW - 0.75,
      measurements: { lcp: { value: -5 } },
      data: { "sentry.segment.name": "/cart" },
    }),
    "spans",
  );
  assert.equal(record.transaction, "/cart");
  assert.deepEqual(record.spans[0]?.measurements, [
    { name: "inp", value: 250, unit: "millisecond" },
  ]);
});
