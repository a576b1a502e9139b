import assert from "node:assert/strict";
import { DEFAULT_SETTINGS } from "@/lib/accounts/projects.ts";
import { policyOf } from "@/lib/ingest/policy.ts";
import type { DecodeContext } from "@/lib/formats/decode_context.ts";
import { timeBudget } from "@/test/support/time_budget.ts";
import { exactNanos } from "@/lib/records/span_rules.ts";
import { otlpTraces } from "@/lib/ingest/protocols/otlp.ts";
import {
  decodeTraces,
  decodeWith,
  only,
  outcomesOf,
  recordsOf,
  spansOf,
} from "./decode_request.ts";
import {
  attribute,
  attributes,
  nanosAt,
  RECEIVED_AT,
  RESOURCE,
  serverSpan,
  TRACE,
  traces,
} from "./otlp_samples.ts";

const NOW = RECEIVED_AT.getTime() / 1000;
const DAY_MS = 86_400_000;
const decodeSpan = (fields: Record<string, unknown>, context: Partial<DecodeContext> = {}) =>
  decodeTraces(traces([serverSpan(fields)]), context);
const child = (spanId: string, fields: Record<string, unknown> = {}) =>
  serverSpan({ spanId, parentSpanId: "eee19b7ec3c1b174", kind: 1, name: "work", ...fields });

Deno.test("a request becomes a row of spans for each trace and a transaction for each entry span", () => {
  const batch = decodeTraces(traces([
    child("aaaaaaaaaaaaaaaa"),
    serverSpan(),
    serverSpan({ traceId: "11".repeat(16), spanId: "bbbbbbbbbbbbbbbb" }),
  ]));
  const rows = recordsOf(batch, "spans");
  assert.deepEqual(rows.map(({ traceId, spans }) => [traceId, spans.length]), [
    [TRACE, 2],
    ["11".repeat(16), 1],
  ]);
  const entries = recordsOf(batch, "transaction");
  assert.deepEqual(entries.map(({ spanId }) => spanId), ["eee19b7ec3c1b174", "bbbbbbbbbbbbbbbb"]);
  assert.deepEqual(spansOf(batch).map(({ isSegment }) => isSegment), [false, true, true]);
  assert.deepEqual(batch.outcomes, []);
});

Deno.test("an entry span says all that the list of transactions needs", () => {
  const entry = only(recordsOf(
    decodeSpan({
      attributes: attributes({
        "http.request.method": "GET",
        "http.route": "/api/users/:id",
        "http.response.status_code": 503,
        "url.path": "/api/users/42",
        "enduser.id": "7",
      }),
    }),
    "transaction",
  ));
  assert.deepEqual(
    [entry.name, entry.httpMethod, entry.httpStatus, entry.route, entry.op, entry.isFailed],
    ["GET /api/users/:id", "GET", 503, "/api/users/:id", "http.server", true],
  );
  assert.deepEqual([entry.durationMs, entry.user, entry.sentAs], [120.5, "id:7", "entry"]);
  assert.deepEqual([entry.timestamp, entry.startedAt], [
    new Date(Number(BigInt(nanosAt(120)) / 1_000_000n)),
    new Date(Number(BigInt(nanosAt(0)) / 1_000_000n)),
  ]);
});

Deno.test("times are taken to the nanosecond, and a span that ends a nanosecond early ends when it began", () => {
  const start = BigInt(nanosAt(0)) + 123_456_789n;
  const span = (fields: Record<string, unknown>) =>
    only(spansOf(decodeSpan({ startTimeUnixNano: String(start), ...fields })));
  const event = { timeUnixNano: String(start + 5n), name: "retry" };
  const whole = span({ endTimeUnixNano: String(start + 1_001n), events: [event] });
  assert.deepEqual(whole.fine, [789, 790]);
  assert.equal(exactNanos(whole.start, whole.fine?.[0]), start);
  assert.equal(exactNanos(whole.end, whole.fine?.[1]), start + 1_001n);
  const [sent] = whole.events;
  assert.equal(exactNanos(sent?.time ?? 0, sent?.fine), start + 5n);
  assert.deepEqual(span({ endTimeUnixNano: String(start - 1n) }).fine, [789, 789]);
  const entry = only(recordsOf(
    decodeSpan({ startTimeUnixNano: String(start), endTimeUnixNano: String(start + 1_001n) }),
    "transaction",
  ));
  assert.deepEqual([entry.startedMicros, entry.durationMs], [456, 0.001001]);
});

Deno.test("entry spans are told by themselves alone, whatever else the request holds", () => {
  const cases = [
    [{ parentSpanId: undefined, kind: 1 }, true],
    [{ parentSpanId: "0".repeat(16), kind: 1 }, true],
    [{ kind: 2, flags: 257 }, true],
    [{ kind: 5 }, true],
    [{ kind: 1, flags: 0x300 }, true],
    [{ kind: 1, flags: 0x200 }, false],
    [{ kind: 1, flags: 0x101 }, false],
    [{ kind: 3 }, false],
    [{ kind: 4 }, false],
    [{ kind: 99 }, false],
  ] as const;
  for (const [fields, isEntry] of cases) {
    const span = child("aaaaaaaaaaaaaaaa", fields);
    for (const spans of [[span], [span, serverSpan()]]) {
      const found = spansOf(decodeTraces(traces(spans)))[0];
      assert.equal(found?.isSegment, isEntry, JSON.stringify(fields));
    }
  }
});

Deno.test("a resource names service, environment, release, platform and SDK, under old names as well", () => {
  const cases = [
    [RESOURCE, ["checkout", "production", "1.4.2", "node", "opentelemetry/2.12.0"]],
    [{ "service.name": "unknown_service:node" }, ["", "", "", "other", ""]],
    [{ "service.name": "unknown_service" }, ["", "", "", "other", ""]],
    [{ "deployment.environment": "test", "vcs.ref.head.revision": "abc" }, [
      ...["", "test", "abc", "other", ""],
    ]],
    [{ env: "dev", "deployment.id": "d1", "telemetry.sdk.language": "deno-rust" }, [
      ...["", "dev", "d1", "javascript", ""],
    ]],
    [{ "telemetry.sdk.language": "webjs" }, ["", "", "", "javascript", ""]],
    [{ "telemetry.sdk.language": "python" }, ["", "", "", "python", ""]],
  ] as const;
  for (const [resource, expected] of cases) {
    const batch = decodeTraces(traces([serverSpan()], resource));
    for (const record of [only(recordsOf(batch, "spans")), only(recordsOf(batch, "transaction"))]) {
      const { service, environment, release, platform, sdk } = record;
      assert.deepEqual([service, environment, release, platform, sdk], expected);
    }
  }
});

Deno.test("the resource and the library are kept with the row; several libraries with their spans", () => {
  const one = only(recordsOf(decodeTraces(traces([serverSpan()])), "spans"));
  assert.equal(one.resource["host.name"], "web-1");
  assert.equal(one.resource["otel.scope.name"], "@opentelemetry/instrumentation-http");
  assert.equal(one.resource["otel.scope.version"], "0.223.0");
  const request = {
    resourceSpans: [{
      scopeSpans: [
        { scope: { name: "http" }, spans: [serverSpan()] },
        { scope: { name: "pg", version: "1" }, spans: [child("aaaaaaaaaaaaaaaa")] },
      ],
    }],
  };
  const two = only(recordsOf(decodeTraces(request), "spans"));
  assert.deepEqual(two.resource, {});
  assert.deepEqual(
    two.spans.map(({ data }) => [data["otel.scope.name"], data["otel.scope.version"]]),
    [["http", undefined], ["pg", "1"]],
  );
});

Deno.test("a resource that is repeated is one; different ones of one trace are two rows", () => {
  const [group] = traces([serverSpan()]).resourceSpans as unknown[];
  const [same] = traces([child("aaaaaaaaaaaaaaaa")]).resourceSpans as unknown[];
  const [other] = traces([child("bbbbbbbbbbbbbbbb")], { "service.name": "b" })
    .resourceSpans as unknown[];
  const rows = recordsOf(decodeTraces({ resourceSpans: [group, other, same] }), "spans");
  assert.deepEqual(rows.map(({ service, spans }) => [service, spans.length]), [
    ["checkout", 2],
    ["b", 1],
  ]);
});

Deno.test("spans with wrong ids are rejected alone", () => {
  const wrong = [
    { traceId: "" },
    { traceId: "0".repeat(32) },
    { traceId: "ab".repeat(15) },
    { spanId: "0".repeat(16) },
    { spanId: "ab" },
    { spanId: undefined },
    { parentSpanId: "abcd" },
    { traceId: "x".repeat(32) },
  ];
  const batch = decodeTraces(traces([...wrong.map(serverSpan), serverSpan()]));
  assert.deepEqual(outcomesOf(batch), [`${wrong.length} span invalid/bad_id`]);
  assert.equal(spansOf(batch).length, 1);
});

Deno.test("spans of another time are rejected alone", () => {
  const at = (ms: number) => ({ startTimeUnixNano: nanosAt(ms), endTimeUnixNano: nanosAt(ms + 5) });
  const ids = ["aa", "bb", "cc", "dd"].map((pair) => pair.repeat(8));
  const spans = [at(2 * 3_600_000), at(-91 * DAY_MS), at(-89 * DAY_MS), at(0)]
    .map((times, index) => serverSpan({ ...times, spanId: ids[index] }));
  const batch = decodeTraces(traces(spans));
  assert.deepEqual(outcomesOf(batch), ["2 span invalid/bad_time"]);
  assert.deepEqual(spansOf(batch).map(({ spanId }) => spanId), [ids[2], ids[3]]);
});

Deno.test("the first nanosecond of 1970 is a wrong time of a span, and not a missing one", () => {
  for (const wrong of ["startTimeUnixNano", "endTimeUnixNano"]) {
    assert.deepEqual(outcomesOf(decodeSpan({ [wrong]: "1" })), ["1 span invalid/bad_time"], wrong);
  }
});

Deno.test("a span that ends before it starts has no duration, and a missing time is the other one", () => {
  const times = [
    [nanosAt(100), nanosAt(50), 0.1, 0.1],
    [nanosAt(100), "0", 0.1, 0.1],
    ["0", nanosAt(50), 0.05, 0.05],
    [undefined, undefined, 60, 60],
  ] as const;
  for (const [startTimeUnixNano, endTimeUnixNano, start, end] of times) {
    const batch = decodeSpan({ startTimeUnixNano, endTimeUnixNano });
    const span = only(spansOf(batch));
    assert.deepEqual([span.start, span.end], [NOW - 60 + start, NOW - 60 + end]);
    assert.equal(only(recordsOf(batch, "transaction")).durationMs, 0);
  }
});

Deno.test("a clock that is ahead moves a trace back as a whole", () => {
  const spans = spansOf(decodeTraces(traces([
    serverSpan({ startTimeUnixNano: nanosAt(600_000), endTimeUnixNano: nanosAt(601_000) }),
    child("aaaaaaaaaaaaaaaa", {
      startTimeUnixNano: nanosAt(600_200),
      endTimeUnixNano: nanosAt(600_700),
    }),
  ])));
  const shown = spans.map(({ start, end }) => [start, end].map((time) => (time - NOW).toFixed(3)));
  assert.deepEqual(shown, [["59.000", "60.000"], ["59.200", "59.700"]]);
});

Deno.test("a span with one of its times in other units is rejected, and makes no duration of months", () => {
  const milliseconds = String(RECEIVED_AT.getTime());
  for (
    const times of [
      { startTimeUnixNano: milliseconds },
      { startTimeUnixNano: nanosAt(-100 * DAY_MS) },
      { startTimeUnixNano: -1e12 },
      { endTimeUnixNano: `${milliseconds}000000000` },
      { startTimeUnixNano: "18446744073709551615", endTimeUnixNano: "18446744073709551615" },
    ]
  ) {
    const batch = decodeSpan(times);
    assert.deepEqual(outcomesOf(batch), ["1 span invalid/bad_time"], JSON.stringify(times));
    assert.deepEqual(batch.records, []);
  }
});

Deno.test("of two spans with one id the one that ends later is kept", () => {
  const late = serverSpan({ name: "late", endTimeUnixNano: nanosAt(900) });
  for (const spans of [[serverSpan(), late], [late, serverSpan()]]) {
    const batch = decodeTraces(traces(spans));
    assert.equal(only(spansOf(batch)).name, "late");
    assert.equal(recordsOf(batch, "transaction").length, 1);
    assert.deepEqual(outcomesOf(batch), ["1 span invalid/same_id"]);
  }
});

Deno.test("a span that comes twice is a repeat, and rejected when the second says something else", () => {
  const other = serverSpan({ attributes: [attribute("plan", "gold")] });
  const batch = decodeTraces(traces([serverSpan(), serverSpan(), other, serverSpan(), other]));
  assert.equal(spansOf(batch).length, 1);
  assert.deepEqual(outcomesOf(batch), ["2 span duplicate/same_span", "2 span invalid/same_id"]);
});

Deno.test("very many spans with the id of a long one are compared in no time", () => {
  const long = serverSpan({ attributes: [attribute("text", "x".repeat(16_000))] });
  const start = performance.now();
  const short = { ...long, attributes: [], endTimeUnixNano: "0" };
  const batch = decodeTraces(traces([
    ...Array.from({ length: 100 }, (_, i) => serverSpan({ ...long, name: `${100 + i}` })),
    ...Array.from({ length: 16_000 }, () => short),
  ], Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`long.${i}`, "x".repeat(16_000)]))));
  const ms = performance.now() - start;
  assert.equal(spansOf(batch).length, 1);
  assert.ok(ms < timeBudget(2_000), `${ms} ms`);
});

Deno.test("the same spans make the same ids, in whichever order and request they come", () => {
  const spans = [serverSpan(), child("aaaaaaaaaaaaaaaa")];
  const idsOf = (sent: unknown[], requestId: string) => {
    const { records } = decodeTraces(traces(sent), { requestId });
    return records.map((record) =>
      record.kind === "spans" ? record.batchId : record.kind === "transaction" && record.eventId
    );
  };
  assert.deepEqual(
    idsOf(spans, crypto.randomUUID()),
    idsOf(spans.toReversed(), crypto.randomUUID()),
  );
});

Deno.test("spans belong to the entry span above them, as far as the request tells", () => {
  const spans = spansOf(decodeTraces(traces([
    child("aaaaaaaaaaaaaaaa"),
    child("bbbbbbbbbbbbbbbb", { parentSpanId: "aaaaaaaaaaaaaaaa" }),
    serverSpan(),
    child("cccccccccccccccc", { parentSpanId: "9999999999999999" }),
    child("dddddddddddddddd", { parentSpanId: "dddddddddddddddd" }),
    child("1111111111111111", { parentSpanId: "2222222222222222" }),
    child("2222222222222222", { parentSpanId: "1111111111111111" }),
    child("3333333333333333", { kind: 5, parentSpanId: "bbbbbbbbbbbbbbbb" }),
  ])));
  const root = "eee19b7ec3c1b174";
  assert.deepEqual(spans.map(({ segmentId }) => segmentId), [
    root,
    root,
    root,
    null,
    null,
    null,
    null,
    "3333333333333333",
  ]);
});

Deno.test("ten thousand spans below each other do not overflow the stack", () => {
  const id = (index: number) => (index + 1).toString(16).padStart(16, "0");
  const spans = Array.from(
    { length: 10_000 },
    (_, index) => child(id(index), { parentSpanId: id(index + 1), attributes: [] }),
  );
  assert.equal(spansOf(decodeTraces(traces(spans))).length, 10_000);
});

Deno.test("samplers say what share of traces they kept", () => {
  const cases = [
    [{ traceState: "ot=th:8" }, 0.5],
    [{ traceState: "vendor=x,ot=rv:abc;th:c" }, 0.25],
    [{ traceState: "ot=th:0" }, 1],
    [{ traceState: "ot=p:3;r:5" }, 0.125],
    [{ traceState: "ot=p:63" }, 1],
    [{ traceState: "notot=th:8" }, 1],
    [{ attributes: attributes({ "sampling.probability": 0.2 }) }, 0.2],
    [{ attributes: attributes({ SampleRate: 10 }) }, 0.1],
    [{ attributes: attributes({ "sampling.rate": -1 }) }, 1],
    [{}, 1],
  ] as const;
  for (const [fields, rate] of cases) {
    const batch = decodeSpan(fields);
    assert.equal(only(recordsOf(batch, "spans")).clientSampleRate, rate, JSON.stringify(fields));
    assert.equal(only(recordsOf(batch, "transaction")).clientSampleRate, rate);
  }
});

Deno.test("old names of attributes become the current ones, and give the same facts", () => {
  const span = only(spansOf(decodeSpan({
    kind: 3,
    parentSpanId: "aaaaaaaaaaaaaaaa",
    attributes: attributes({
      "db.system": "postgresql",
      "db.statement": "SELECT * FROM a WHERE b = 7",
    }),
  })));
  assert.equal(span.data["db.query.text"], "SELECT * FROM a WHERE b = 7");
  assert.deepEqual([span.op, span.category], ["db", "db"]);
  assert.doesNotMatch(span.group, /7/);
});

Deno.test("what has no place of its own is kept as an attribute", () => {
  const { data, status } = only(spansOf(decodeSpan({
    status: { code: 2, message: "out of stock" },
    traceState: "a=b",
    droppedAttributesCount: 3,
    droppedEventsCount: 2,
    droppedLinksCount: 1,
  })));
  assert.equal(status, "internal_error");
  assert.equal(data["otel.status_description"], "out of stock");
  assert.equal(data["w3c.tracestate"], "a=b");
  assert.deepEqual(
    ["attributes", "events", "links"].map((name) => data[`otel.dropped_${name}_count`]),
    [3, 2, 1],
  );
});

Deno.test("events and links are kept; links without ids are not", () => {
  const { events, links } = only(spansOf(decodeSpan({
    events: [{
      timeUnixNano: nanosAt(7),
      name: "cache miss",
      attributes: attributes({ key: "a" }),
    }],
    links: [
      { traceId: "ab".repeat(16), spanId: "cd".repeat(8), attributes: attributes({ n: 1 }) },
      { traceId: "ab", spanId: "cd".repeat(8) },
    ],
  })));
  assert.deepEqual(events, [{
    time: NOW - 60 + 0.007,
    name: "cache miss",
    attributes: { key: "a" },
  }]);
  assert.deepEqual(links, [
    { traceId: "ab".repeat(16), spanId: "cd".repeat(8), attributes: { n: 1 } },
  ]);
});

Deno.test("secrets are taken out of attributes, names, events, links and resources", () => {
  const secret = "hunter2";
  const text = `postgres://shop:${secret}@db/shop`;
  const hidden = attributes({
    password: secret,
    "http.request.header.authorization": [secret],
    text,
  });
  const batch = decodeTraces(traces([
    serverSpan({
      name: text,
      attributes: hidden,
      events: [{ timeUnixNano: nanosAt(1), name: text, attributes: hidden }],
      links: [{ traceId: "ab".repeat(16), spanId: "cd".repeat(8), attributes: hidden }],
      status: { code: 2, message: text },
    }),
    child("aaaaaaaaaaaaaaaa", {
      kind: 3,
      attributes: attributes({ "db.system": "x", "db.query.text": text }),
    }),
  ], { ...RESOURCE, password: secret, text }));
  assert.ok(!JSON.stringify(batch).includes(secret));
  assert.match(JSON.stringify(batch), /\[Filtered\]/);
});

Deno.test("spans of a release that the project does not want are counted as filtered", () => {
  const policy = policyOf({
    ...DEFAULT_SETTINGS,
    filters: { ...DEFAULT_SETTINGS.filters, releases: ["1.4.*"] },
  });
  const batch = decodeTraces(traces([serverSpan(), child("aaaaaaaaaaaaaaaa")]), { policy });
  assert.deepEqual(batch.records, []);
  assert.deepEqual(outcomesOf(batch), ["2 span filtered/release"]);
});

Deno.test("a trace of very many spans is stored in several rows, all of them kept", () => {
  const ids = Array.from({ length: 4_500 }, (_, i) => (i + 1).toString(16).padStart(16, "0"));
  const batch = decodeTraces(traces(ids.map((id) => child(id))));
  const rows = recordsOf(batch, "spans");
  assert.deepEqual(rows.map(({ spans }) => spans.length), [2_000, 2_000, 500]);
  assert.equal(new Set(rows.map(({ batchId }) => batchId)).size, 3);
  assert.equal(new Set(spansOf(batch).map(({ spanId }) => spanId)).size, ids.length);
});

Deno.test("requests that Spring's Micrometer tells of are requests of an HTTP server, and calls", () => {
  const body = Deno.readFileSync("test/fixtures/otlp/micrometer-1.14.2/traces.binpb");
  const batch = decodeWith(otlpTraces, body, {
    contentType: "application/x-protobuf",
    receivedAt: new Date("2026-11-22T22:00:00Z"),
  });
  const served = recordsOf(batch, "transaction")
    .map(({ name, op, route, httpStatus, isFailed }) => [name, op, route, httpStatus, isFailed]);
  assert.deepEqual(served, [
    ["GET /users/{id}", "http.server", "/users/{id}", 200, false],
    ["GET /users/{id}", "http.server", "/users/{id}", 404, false],
    ["GET /users/{id}", "http.server", "/users/{id}", 200, false],
    ["GET /carts/{id}", "http.server", "/carts/{id}", 200, false],
    ["GET /broken", "http.server", "/broken", 500, true],
    ["GET (no route)", "http.server", "(no route)", 404, false],
    ["GET (no route)", "http.server", "(no route)", 404, false],
  ]);
  const calls = spansOf(batch).filter(({ kind }) => kind === "client");
  assert.deepEqual(calls.map(({ op, category, group }) => [op, category, group]), [
    ["http.client", "http", "GET /users/{id}"],
  ]);
});
