import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { inflate } from "@/lib/ingest/inflate.ts";
import { otlpLogs, otlpMetrics, otlpTraces } from "@/lib/ingest/protocols/otlp.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { inTime } from "@/test/support/time_budget.ts";
import { assertAllStorable, decodeWith } from "./decode_request.ts";
import { exponential, histogram, point, sum } from "./read_batch.ts";
import { attribute, logs, metrics, RECEIVED_AT, serverSpan, traces } from "./otlp_samples.ts";
import { logsToProtobuf, metricsToProtobuf, tracesToProtobuf } from "./otlp_to_protobuf.ts";

const PROTOBUF = { contentType: "application/x-protobuf" };
const SPANS = [otlpTraces, traces, tracesToProtobuf, 16_384] as const;
const LOGS = [otlpLogs, logs, logsToProtobuf, 40_000] as const;
/** All points are of one gauge. */
const gauge = (dataPoints: readonly unknown[]) => metrics([{ name: "x", gauge: { dataPoints } }]);
const POINTS = [otlpMetrics, gauge, metricsToProtobuf, 40_000] as const;

function refusalOf(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error;
  }
  throw new Error("It was not refused");
}

/** The fields that lead to a list: `resource_spans = 1`, `scope_spans = 2`. */
function wrapped(path: readonly number[], content: Uint8Array): Uint8Array {
  return path.reduceRight((inner, field) => {
    const length: number[] = [];
    let rest = inner.length;
    for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
    const head = [field << 3 | 2, ...length, rest];
    const bytes = new Uint8Array(head.length + inner.length);
    bytes.set(head);
    bytes.set(inner, head.length);
    return bytes;
  }, content);
}

/** So many empty messages of this field. */
function empties(field: number, count: number): Uint8Array {
  const bytes = new Uint8Array(2 * count);
  for (let at = 0; at < bytes.length; at += 2) bytes[at] = field << 3 | 2;
  return bytes;
}

Deno.test("a flood of empty messages is refused before anything is made of it", () => {
  const floods = {
    "resource spans": empties(1, 6_000_000),
    "scopes": wrapped([1], empties(2, 6_000_000)),
    "spans": wrapped([1, 2], empties(2, 6_000_000)),
    "attributes of a span": wrapped([1, 2, 2], empties(9, 6_000_000)),
    "events": wrapped([1, 2, 2], empties(11, 6_000_000)),
    "links": wrapped([1, 2, 2], empties(13, 6_000_000)),
    "attributes of events": wrapped([1, 2, 2, 11], empties(3, 6_000_000)),
    "attributes of a resource": wrapped([1, 1], empties(1, 6_000_000)),
    "elements of a value": wrapped([1, 2, 2, 9, 2, 5], empties(1, 6_000_000)),
    "pairs of a value": wrapped([1, 2, 2, 9, 2, 6], empties(1, 6_000_000)),
  };
  for (const [name, flood] of Object.entries(floods)) {
    const before = Deno.memoryUsage().heapUsed;
    const read = () => refusalOf(() => decodeWith(otlpTraces, flood, PROTOBUF));
    assert.equal(inTime(200, read, name).status, 413, name);
    assert.ok(Deno.memoryUsage().heapUsed - before < 40_000_000, name);
  }
});

Deno.test("a flood of empty parts of metrics is refused before anything is made of it", () => {
  const floods = {
    "metrics": wrapped([1, 2], empties(2, 6_000_000)),
    "points of a gauge": wrapped([1, 2, 2, 5], empties(1, 6_000_000)),
    "points of a summary": wrapped([1, 2, 2, 11], empties(1, 6_000_000)),
    "attributes of a number": wrapped([1, 2, 2, 7, 1], empties(7, 6_000_000)),
    "attributes of a histogram": wrapped([1, 2, 2, 9, 1], empties(9, 6_000_000)),
    "attributes of an exponential histogram": wrapped([1, 2, 2, 10, 1], empties(1, 6_000_000)),
    "quantiles": wrapped([1, 2, 2, 11, 1], empties(6, 6_000_000)),
    "exemplars": wrapped([1, 2, 2, 5, 1], empties(5, 6_000_000)),
    "attributes of an exemplar": wrapped([1, 2, 2, 9, 1, 8], empties(7, 6_000_000)),
    "few quantiles": wrapped([1, 2, 2, 11, 1], empties(6, 40_001)),
    "few libraries": wrapped([1], empties(2, 100_001)),
  };
  for (const [name, flood] of Object.entries(floods)) {
    const read = () => refusalOf(() => decodeWith(otlpMetrics, flood, PROTOBUF));
    assert.equal(inTime(200, read, name).status, 413, name);
  }
});

Deno.test("a histogram of a million buckets is rejected, and its buckets are not read", () => {
  const counts = new Uint8Array(11_000_000).fill(1);
  const length = wrapped([8], wrapped([2], counts));
  const body = wrapped([1, 2, 2, 10, 1], length);
  const { outcomes } = inTime(50, () => decodeWith(otlpMetrics, body, PROTOBUF), "buckets");
  assert.equal(outcomes[0]?.quantity, 1);
});

Deno.test("a request has no more spans, log records and points than it may, in either encoding", () => {
  for (const [protocol, request, toProtobuf, limit] of [SPANS, LOGS, POINTS]) {
    const many = request(Array.from({ length: limit + 1 }, () => ({})));
    const refusals = [
      refusalOf(() => decodeWith(protocol, JSON.stringify(many))),
      refusalOf(() => decodeWith(protocol, toProtobuf(many), PROTOBUF)),
    ];
    for (const { status, outcome } of refusals) {
      assert.equal(status, 413);
      assert.equal(outcome.reason, "too_many_items");
    }
    const most = toProtobuf(request(Array.from({ length: limit }, () => ({}))));
    const { outcomes } = decodeWith(protocol, most, PROTOBUF);
    assert.equal(outcomes[0]?.quantity, limit);
  }
});

Deno.test("a flood of brackets in JSON is refused before it is parsed", () => {
  for (const flood of ["[".repeat(6_000_000), `{"resourceSpans":[${"{},".repeat(3_000_000)}{}]}`]) {
    const read = () => refusalOf(() => decodeWith(otlpTraces, flood));
    assert.equal(inTime(200, read).status, 413);
  }
});

Deno.test("damaged bodies are refused with 400, and JSON sent as protobuf with a hint", () => {
  const whole = tracesToProtobuf(traces([serverSpan()]));
  const bodies: Record<string, Uint8Array> = {
    "cut short": whole.slice(0, -1),
    "a length beyond the end": new Uint8Array([0x0a, 0x05, 0x12]),
    "a number beyond the end": wrapped([1, 2, 2], new Uint8Array([7 << 3 | 1, 1, 2])),
    "a group": new Uint8Array([0x0b, 0x0c]),
    "field 0": new Uint8Array([0x00, 0x00]),
    "an endless number": new Uint8Array([0x08, ...new Array(12).fill(0xff)]),
    "a length without an end": new Uint8Array([0x0a, ...new Array(10).fill(0xff)]),
    "HTML": new TextEncoder().encode("<html></html>"),
  };
  for (const [name, body] of Object.entries(bodies)) {
    assert.equal(refusalOf(() => decodeWith(otlpTraces, body, PROTOBUF)).status, 400, name);
  }
  assert.match(refusalOf(() => decodeWith(otlpTraces, "{}", PROTOBUF)).detail, /looks like JSON/);
  for (const body of ["{", "[]", "7", "null", "nonsense"]) {
    assert.equal(refusalOf(() => decodeWith(otlpTraces, body)).status, 400, body);
  }
});

Deno.test("no body at all is an empty request", () => {
  for (const protocol of [otlpTraces, otlpLogs, otlpMetrics]) {
    for (const contentType of ["application/json", "application/x-protobuf"]) {
      const batch = decodeWith(protocol, "", { contentType });
      assert.deepEqual(batch, { records: [], outcomes: [], eventId: null });
    }
    assert.deepEqual(decodeWith(protocol, "{}").records, []);
  }
});

Deno.test("other content types are refused with 415, whatever the body", () => {
  for (const contentType of ["", "text/plain", "application/grpc", "application/json-seq"]) {
    const { status, detail } = refusalOf(() => decodeWith(otlpTraces, "{}", { contentType }));
    assert.equal(status, 415);
    assert.match(detail, /application\/x-protobuf or application\/json/);
  }
  for (const contentType of ["APPLICATION/JSON;charset=utf-8", " application/json ; a=b"]) {
    assert.deepEqual(decodeWith(otlpTraces, "{}", { contentType }).outcomes, []);
  }
  for (const contentType of ["application/protobuf", "application/vnd.google.protobuf"]) {
    assert.deepEqual(decodeWith(otlpTraces, "", { contentType }).outcomes, []);
  }
});

Deno.test("gzip bombs and gzip that lies about its size end before the decoder", () => {
  const bomb = gzipSync(new Uint8Array(100_000_000));
  assert.equal(refusalOf(() => inflate(bomb, "gzip", 12_000_000)).status, 413);
  const lying = gzipSync(tracesToProtobuf(traces([serverSpan()])));
  new DataView(lying.buffer, lying.byteOffset).setUint32(lying.length - 4, 2_000_000_000, true);
  assert.equal(refusalOf(() => inflate(lying, "gzip", 12_000_000)).status, 400);
});

Deno.test("whatever bytes come, the answer is records that can be stored or a refusal", () => {
  const context = { receivedAt: RECEIVED_AT };
  const seeds = [
    tracesToProtobuf(traces([
      serverSpan({
        events: [{ name: "exception", attributes: [attribute("exception.type", "E")] }],
      }),
    ])),
    logsToProtobuf(
      logs([{ body: { stringValue: "x" }, attributes: [attribute("a", [1, { b: 2 }])] }]),
    ),
    metricsToProtobuf(metrics([sum([point(), point()]), histogram(), exponential()])),
  ];
  const protocols = fc.constantFrom(otlpTraces, otlpLogs, otlpMetrics, otlpMetrics);
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...seeds), changes, protocols, (seed, edits, protocol) => {
      const body = seed.slice();
      for (const [at, byte] of edits) body[at % body.length] = byte;
      const decode = () => protocol.decode(body, decodeContext({ ...context, ...PROTOBUF }));
      try {
        assertAllStorable(decode());
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("whatever JSON comes, the answer is records that can be stored or a refusal", () => {
  const key = fc.constantFrom(
    ...["resourceSpans", "resource", "scopeSpans", "spans", "attributes", "key", "value", "events"],
    ...["stringValue", "arrayValue", "values", "traceId", "spanId", "name", "kind", "status"],
    ...["startTimeUnixNano", "endTimeUnixNano", "links", "scope", "flags", "code", "kvlistValue"],
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.constantFrom(null, true, 0, -1, 1e300, "", "x", "a\0", "5b8efff798038103d269b633813fc60c"),
      fc.array(tie("json"), { maxLength: 4 }),
      fc.dictionary(key, tie("json"), { maxKeys: 6 }),
    ),
  }));
  fc.assert(fc.property(json, json, (spans, value) => {
    const requests = [
      { resourceSpans: spans },
      traces([serverSpan({ attributes: value }), spans]),
      traces([serverSpan({ events: [value], status: spans, links: [spans] })]),
    ];
    for (const request of requests) {
      assertAllStorable(decodeWith(otlpTraces, JSON.stringify(request)));
    }
  }));
});

Deno.test("whatever JSON of metrics comes, the answer is points that can be stored or a refusal", () => {
  const key = fc.constantFrom(
    ...["name", "unit", "gauge", "sum", "histogram", "exponentialHistogram", "summary", "flags"],
    ...["dataPoints", "aggregationTemporality", "timeUnixNano", "startTimeUnixNano", "asDouble"],
    ...["asInt", "attributes", "exemplars", "bucketCounts", "explicitBounds", "count", "scale"],
    ...["positive", "negative", "offset", "zeroCount", "quantileValues", "quantile", "value"],
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.constantFrom(
        null,
        true,
        0,
        -1,
        1,
        1e300,
        "",
        "x\0",
        "NaN",
        String(RECEIVED_AT.getTime() * 1e6),
      ),
      fc.array(tie("json"), { maxLength: 4 }),
      fc.dictionary(key, tie("json"), { maxKeys: 6 }),
    ),
  }));
  fc.assert(fc.property(json, json, (one, other) => {
    const requests = [
      { resourceMetrics: one },
      metrics([one, other]),
      metrics([
        sum([one, point({ attributes: one, exemplars: other, asDouble: other })], { flags: 1 }),
      ]),
      metrics([
        histogram({ bucketCounts: one, explicitBounds: other }),
        exponential({ positive: one }),
      ]),
    ];
    for (const request of requests) {
      assertAllStorable(decodeWith(otlpMetrics, JSON.stringify(request)));
    }
  }));
});
