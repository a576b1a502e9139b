import assert from "node:assert/strict";
import { endpointKey } from "@/lib/formats/spans/entry_keys.ts";
import { decodeItem, ID, NOW, reasons, TRACE } from "./decode_item.ts";

const SPAN = "00f067aa0ba902b7";
const CHILD = "b7ad6b7169203331";

function transaction(fields: Record<string, unknown> = {}) {
  return {
    event_id: ID,
    type: "transaction",
    transaction: "GET /orders/:id",
    transaction_info: { source: "route" },
    platform: "node",
    release: "shop@1.0",
    environment: "production",
    start_timestamp: NOW - 1.5,
    timestamp: NOW - 1,
    contexts: {
      trace: {
        trace_id: TRACE,
        span_id: SPAN,
        op: "http.server",
        status: "ok",
        data: { "http.response.status_code": 200, "sentry.sample_rate": 0.5 },
      },
      profile: { profile_id: ID },
    },
    request: { method: "get", url: "https://shop.example.com/orders/7" },
    user: { id: 7 },
    tags: { plan: "team" },
    measurements: { lcp: { value: 1200 }, cls: { value: 0.1 }, bad: { value: null } },
    spans: [
      {
        span_id: CHILD,
        trace_id: TRACE,
        parent_span_id: SPAN,
        op: "db.query",
        description: "select * from users where password='hunter2'",
        start_timestamp: NOW - 1.4,
        timestamp: NOW - 1.2,
        data: { "db.system": "postgresql", password: "hunter2" },
      },
    ],
    ...fields,
  };
}

Deno.test("a transaction becomes a record of its own and one of its spans", () => {
  const { records, outcomes, eventId } = decodeItem("transaction", transaction());
  assert.deepEqual(outcomes, []);
  assert.equal(eventId, ID);
  const [record, batch] = records;
  assert.ok(record?.kind === "transaction" && batch?.kind === "spans");
  const { payload, receivedAt: _, timestamp, startedAt, durationMs, ...rest } = record;
  assert.equal(timestamp.getTime() - startedAt.getTime(), 500);
  assert.ok(Math.abs(durationMs - 500) < 0.001);
  assert.deepEqual(JSON.parse(payload).spans, undefined);
  assert.deepEqual(rest, {
    kind: "transaction",
    eventId: ID,
    sentAs: "transaction",
    traceId: TRACE,
    spanId: SPAN,
    parentSpanId: null,
    startedMicros: 0,
    name: "GET /orders/:id",
    source: "route",
    op: "http.server",
    status: "ok",
    httpMethod: "GET",
    httpStatus: 200,
    isFailed: false,
    route: "/orders/:id",
    service: "",
    platform: "node",
    environment: "production",
    release: "shop@1.0",
    dist: "",
    user: "id:7",
    tags: [
      ["plan", "team"],
      ["level", "info"],
      ["environment", "production"],
      ["release", "shop@1.0"],
      ["transaction", "GET /orders/:id"],
      ["user", "id:7"],
      ["url", "https://shop.example.com/orders/7"],
    ],
    sdk: "",
    measurements: [
      { name: "lcp", value: 1200, unit: "millisecond" },
      { name: "cls", value: 0.1, unit: "" },
    ],
    clientSampleRate: 0.5,
    serverSampleRate: 1,
    profileId: ID,
    profilerId: null,
  });
  assert.equal(batch.batchId, ID);
  assert.equal(batch.spans.length, 1);
  const [span] = batch.spans;
  assert.equal(span?.parentSpanId, SPAN);
  assert.deepEqual([span?.name, span?.kind, span?.category, span?.events, span?.links], [
    "",
    "",
    "db",
    [],
    [],
  ]);
  assert.equal(span?.group, "select * from users where password=?");
  assert.equal(span?.data["db.system.name"], "postgresql");
});

function rootOf(fields: Record<string, unknown>) {
  const [record, batch] = decodeItem("transaction", transaction(fields)).records;
  assert.ok(record?.kind === "transaction" && batch?.kind === "spans");
  return { record, batch };
}

Deno.test("a name that is a path loses its ids, and its row of spans has the same name", () => {
  const { record, batch } = rootOf({
    transaction: "GET /orders/17",
    transaction_info: { source: "url" },
  });
  assert.deepEqual([record.name, record.source, record.route], [
    "GET /orders/{id}",
    "sanitized",
    "/orders/{id}",
  ]);
  assert.equal(batch.transaction, record.name);
});

Deno.test("Python's functions, PHP's and Go's paths name the endpoint that @sentry/node names", () => {
  for (
    const [transactionName, source] of [
      ["GET /orders/:id", "route"],
      ["app.orders.show", "component"],
      ["/orders/{id}", "route"],
      ["GET /orders/7", "url"],
    ]
  ) {
    const { record } = rootOf({ transaction: transactionName, transaction_info: { source } });
    assert.equal(endpointKey(record.httpMethod, record.route), "GET /orders/{}");
  }
});

Deno.test("a request failed when its status code says so, whatever the status", () => {
  const trace = { trace_id: TRACE, span_id: SPAN, op: "http.server" };
  const of = (status: string, code: number | string) =>
    rootOf({ contexts: { trace: { ...trace, status, data: { "http.status_code": code } } } })
      .record;
  assert.equal(of("not_found", 404).isFailed, false);
  assert.equal(of("internal_error", "500").isFailed, true);
  assert.equal(of("ok", 503).httpStatus, 503);
  assert.equal(rootOf({ contexts: { trace: { ...trace, status: "13" } } }).record.isFailed, true);
});

Deno.test("the service is an attribute, else a tag", () => {
  const trace = { trace_id: TRACE, span_id: SPAN, data: { "service.name": "cart" } };
  const { record, batch } = rootOf({ tags: { service: "shop" } });
  assert.deepEqual([record.service, batch.service], ["shop", "shop"]);
  assert.equal(rootOf({ contexts: { trace }, tags: { service: "shop" } }).record.service, "cart");
});

Deno.test("links of spans are kept, but for those that lead nowhere", () => {
  const link = { trace_id: TRACE, span_id: SPAN, attributes: { "sentry.link.type": "previous" } };
  const spans = [{
    span_id: CHILD,
    start_timestamp: NOW - 1.3,
    timestamp: NOW - 1.2,
    links: [link, { trace_id: "x" }, null, ...Array(300).fill(link)],
  }];
  const { batch } = rootOf({ spans });
  assert.equal(batch.spans[0]?.links.length, 126);
  assert.deepEqual(batch.spans[0]?.links[0], {
    traceId: TRACE,
    spanId: SPAN,
    attributes: { "sentry.link.type": "previous" },
  });
});

Deno.test("secrets in spans are hidden", () => {
  const { records } = decodeItem("transaction", transaction());
  assert.ok(!JSON.stringify(records).includes("hunter2"));
});

Deno.test("an unfinished span ends with its transaction, and a broken one costs only itself", () => {
  const spans = [
    { span_id: CHILD, start_timestamp: NOW - 1.3, timestamp: null },
    { span_id: "nonsense", start_timestamp: NOW - 1.3, timestamp: NOW - 1.2 },
    null,
  ];
  const { records, outcomes } = decodeItem("transaction", transaction({ spans }));
  const batch = records[1];
  assert.ok(batch?.kind === "spans");
  assert.equal(batch.spans[0]?.end, NOW - 1);
  assert.equal(batch.spans[0]?.status, "deadline_exceeded");
  assert.deepEqual(outcomes, [
    { category: "span", kind: "invalid", reason: "invalid_span", quantity: 2 },
  ]);
});

Deno.test("a transaction without its times or its place in a trace is invalid, its spans with it", () => {
  for (
    const fields of [
      { start_timestamp: null },
      { start_timestamp: NOW },
      { start_timestamp: 1e-9, timestamp: 1e-9 },
      { contexts: { trace: { trace_id: "0".repeat(32), span_id: SPAN } } },
      { contexts: {} },
    ]
  ) {
    assert.deepEqual(reasons(decodeItem("transaction", transaction(fields))), [
      "1 transaction invalid/invalid_transaction",
      "1 span invalid/invalid_transaction",
    ]);
  }
});

Deno.test("a client's wrong clock moves a transaction and its spans as a whole", () => {
  const sent = { envelope: { sent_at: new Date((NOW - 7_200) * 1000).toISOString() } };
  const late = transaction({
    start_timestamp: NOW - 7_201.5,
    timestamp: NOW - 7_201,
    spans: [{ span_id: CHILD, start_timestamp: NOW - 7_201.4, timestamp: NOW - 7_201.2 }],
  });
  const [record, batch] = decodeItem("transaction", late, sent).records;
  assert.ok(record?.kind === "transaction" && batch?.kind === "spans");
  assert.equal(record.timestamp.getTime(), (NOW - 1) * 1000);
  assert.ok(Math.abs((batch.spans[0]?.end ?? 0) - (NOW - 1.2)) < 1e-3);
});

Deno.test("a beginning before all that is kept is in other units: no duration of months, no partitions", () => {
  for (const start of [1, NOW - 91 * 86_400]) {
    const { records, outcomes } = decodeItem(
      "transaction",
      transaction({ start_timestamp: start }),
    );
    assert.deepEqual(records, []);
    assert.equal(outcomes[0]?.reason, "invalid_transaction");
    const early = { span_id: CHILD, start_timestamp: start, timestamp: NOW - 1 };
    const whole = decodeItem("transaction", transaction({ spans: [early] }));
    assert.deepEqual(whole.records.map(({ kind }) => kind), ["transaction"]);
    assert.equal(whole.outcomes[0]?.reason, "invalid_span");
  }
  const late = { span_id: CHILD, start_timestamp: NOW - 2, timestamp: 9e9 };
  const [, batch] = decodeItem("transaction", transaction({ spans: [late] })).records;
  assert.ok(batch?.kind === "spans");
  assert.equal(batch.spans[0]?.end, NOW + 60);
});

Deno.test("Go's times with local offsets and PHP's empty lists are read", () => {
  const [record, batch] = decodeItem(
    "transaction",
    transaction({
      start_timestamp: "2026-11-21T01:19:58.500000001+01:00",
      timestamp: "2026-11-21T01:19:59+01:00",
      tags: [],
      measurements: [],
      spans: [{
        span_id: CHILD,
        data: [],
        tags: [],
        start_timestamp: "2026-11-21T01:19:58.6+01:00",
        timestamp: "2026-11-21T01:19:58.7+01:00",
      }],
    }),
  ).records;
  assert.ok(record?.kind === "transaction" && batch?.kind === "spans");
  assert.equal(record.startedAt.toISOString(), "2026-11-21T00:19:58.500Z");
  assert.deepEqual(batch.spans[0]?.data, {});
});

Deno.test("client sample rates that say nothing stand for one", () => {
  for (const rate of [0, -1, 2, "x", null, NaN]) {
    const contexts = {
      trace: { trace_id: TRACE, span_id: SPAN, data: { "sentry.sample_rate": rate } },
    };
    const [record] = decodeItem("transaction", transaction({ contexts })).records;
    assert.ok(record?.kind === "transaction");
    assert.equal(record.clientSampleRate, 1);
  }
});

Deno.test("a transaction may have as many bytes as a request, and its span says what was left out", () => {
  const span = (n: number) => ({
    span_id: n.toString(16).padStart(16, "0"),
    start_timestamp: NOW - 1.4,
    timestamp: NOW - 1.2,
    description: "x".repeat(1_500),
  });
  const spans = Array.from({ length: 5_003 }, (_, n) => span(n + 1));
  const limits = { maxEventBytes: 1_000_000 };
  const all = decodeItem("transaction", transaction({ spans: spans.slice(3) }), {}, limits);
  assert.deepEqual(all.outcomes, []);
  const [, batch] = all.records;
  assert.ok(batch?.kind === "spans" && batch.spans.length === 5_000);
  const cut = decodeItem("transaction", transaction({ spans }), {}, limits);
  assert.deepEqual(cut.outcomes.map(({ reason, quantity }) => [reason, quantity]), [
    ["too_many_elements", 3],
  ]);
  const [record] = cut.records;
  assert.ok(record?.kind === "transaction");
  const { data } = JSON.parse(record.payload).contexts.trace;
  assert.equal(data["watchpost.spans_left_out"], 3);
});

Deno.test("a transaction of a million tiny objects is refused before it is parsed", () => {
  const spans = Array.from({ length: 1_000_000 }, () => ({}));
  assert.deepEqual(reasons(decodeItem("transaction", transaction({ spans }))), [
    "1 transaction too_large/too_many_parts",
  ]);
});
