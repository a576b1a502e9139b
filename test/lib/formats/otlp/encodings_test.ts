import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeLogs, decodeTraces } from "@/lib/formats/otlp/decode.ts";
import {
  anyValue,
  attribute,
  attributes,
  logs,
  nanosAt,
  serverSpan,
  traces,
} from "./otlp_samples.ts";
import { logsToProtobuf, tracesToProtobuf } from "./otlp_to_protobuf.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const PROTOBUF_TYPE = "application/x-protobuf";
const jsonOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const spansIn = (request: unknown) =>
  decodeTraces(jsonOf(request), JSON_TYPE)
    .flatMap(({ scopes }) => scopes.flatMap(({ items }) => items));
const spanIn = (fields: Record<string, unknown>) => {
  const [span] = spansIn(traces([serverSpan(fields)]));
  assert.ok(span);
  return span;
};

const text = fc.string({ unit: "grapheme", maxLength: 40 });
const plainValue = fc.oneof(
  text.map((stringValue) => ({ stringValue })),
  fc.boolean().map((boolValue) => ({ boolValue })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((int) => ({ intValue: String(int) })),
  // JSON as JavaScript writes it has no negative zero.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => ({
    doubleValue: double + 0,
  })),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ bytesValue: bytes.toBase64() })),
  fc.constant({}),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    plainValue,
    fc.array(tie("value"), { maxLength: 4 }).map((values) => ({ arrayValue: { values } })),
    fc.array(fc.record({ key: text, value: tie("value") }), { maxLength: 4 })
      .map((values) => ({ kvlistValue: { values } })),
  ),
}));
const attributeList = fc.array(fc.record({ key: text, value }), { maxLength: 6 });
const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: digits, maxLength: digits });
const nanos = fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String);
const event = fc.record({
  timeUnixNano: nanos,
  name: text,
  attributes: attributeList,
  droppedAttributesCount: fc.nat(),
}, { requiredKeys: [] });
const span = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16),
  traceState: text,
  name: text,
  kind: fc.nat({ max: 7 }),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes: attributeList,
  droppedAttributesCount: fc.nat(),
  events: fc.array(event, { maxLength: 3 }),
  links: fc.array(fc.record({ traceId: hex(32), spanId: hex(16), attributes: attributeList }), {
    maxLength: 3,
  }),
  droppedLinksCount: fc.nat(),
  status: fc.record({ message: text, code: fc.nat({ max: 4 }) }, { requiredKeys: [] }),
  flags: fc.nat(),
}, { requiredKeys: [] });
const log = fc.record({
  timeUnixNano: nanos,
  observedTimeUnixNano: nanos,
  severityNumber: fc.nat({ max: 30 }),
  severityText: text,
  body: value,
  attributes: attributeList,
  traceId: hex(32),
  spanId: hex(16),
  eventName: text,
}, { requiredKeys: [] });

Deno.test("both encodings of traces are read into the same", () => {
  fc.assert(fc.property(fc.array(span, { maxLength: 5 }), (spans) => {
    const request = traces(spans);
    assert.deepEqual(
      decodeTraces(tracesToProtobuf(request), PROTOBUF_TYPE),
      decodeTraces(jsonOf(request), JSON_TYPE),
    );
  }));
});

Deno.test("both encodings of logs are read into the same", () => {
  fc.assert(fc.property(fc.array(log, { maxLength: 5 }), (records) => {
    const request = logs(records);
    assert.deepEqual(
      decodeLogs(logsToProtobuf(request), PROTOBUF_TYPE),
      decodeLogs(jsonOf(request), JSON_TYPE),
    );
  }));
});

Deno.test("64-bit integers keep all their digits, and so do times", () => {
  const sent = [
    ["9223372036854775807", "9223372036854775807"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["9007199254740991", 9007199254740991],
    ["-1", -1],
    ["0", 0],
  ] as const;
  for (const [intValue, expected] of sent) {
    const request = traces([
      serverSpan({
        attributes: [{ key: "n", value: { intValue } }],
        startTimeUnixNano: "1795220340123456789",
      }),
    ]);
    for (
      const [body, type] of [[tracesToProtobuf(request), PROTOBUF_TYPE], [
        jsonOf(request),
        JSON_TYPE,
      ]] as const
    ) {
      const [found] = decodeTraces(body, type)[0]?.scopes[0]?.items ?? [];
      assert.deepEqual(found?.attributes, { n: expected });
      assert.deepEqual([found?.start, found?.startFine], [1795220340.123456, 789]);
    }
  }
});

Deno.test("JSON may have keys in snake case, names of enums, null, and numbers for texts", () => {
  const request = {
    resource_spans: [null, {
      resource: {
        attributes: [attribute("service.name", "a"), null],
        dropped_attributes_count: "3",
      },
      scope_spans: [{
        spans: [null, {
          trace_id: "5B8EFFF798038103D269B633813FC60C",
          span_id: "EEE19B7EC3C1B174",
          parent_span_id: null,
          kind: "SPAN_KIND_SERVER",
          start_time_unix_nano: 1795220340000000000,
          end_time_unix_nano: "1795220341000000000",
          attributes: [
            { key: "a", value: { int_value: 7 } },
            { key: "b", value: { doubleValue: null } },
            { key: "c", value: { doubleValue: "NaN" } },
            { key: "d", value: { arrayValue: { values: [null, { stringValue: "x" }] } } },
            { key: "e", value: { bytesValue: "_-8" } },
            { key: "f", value: { unknownValue: 1, stringValue: "old", boolValue: true } },
            { key: "", value: { stringValue: "nameless" } },
            { key: "g" },
          ],
          status: { code: "STATUS_CODE_ERROR", message: null },
          flags: "769",
          entityRefs: [],
        }],
      }],
    }],
  };
  const [group] = decodeTraces(jsonOf(request), JSON_TYPE);
  assert.equal(group?.droppedAttributes, 3);
  const [found] = group?.scopes[0]?.items ?? [];
  assert.ok(found);
  assert.equal(found.traceId, "5b8efff798038103d269b633813fc60c");
  assert.equal(found.spanId, "eee19b7ec3c1b174");
  assert.equal(found.parentSpanId, "");
  assert.deepEqual([found.kind, found.statusCode, found.flags], [2, 2, 769]);
  assert.deepEqual([found.start, found.end], [1795220340, 1795220341]);
  assert.deepEqual(found.attributes, {
    a: 7,
    b: null,
    c: "NaN",
    d: ["x"],
    e: "/+8=",
    f: true,
    g: null,
  });
});

Deno.test("ids in JSON are hex in any case or base64; zeros are no id, others are wrong ones", () => {
  const bytes = Uint8Array.fromHex("5b8efff798038103d269b633813fc60c");
  const traceIds = [
    ["5B8EFFF798038103D269B633813FC60C", 32],
    [bytes.toBase64(), 32],
    ["0".repeat(32), 0],
    ["", 0],
    [null, 0],
    ["5b8e", 4],
    ["not hex at all", 1],
    [7, 1],
  ] as const;
  for (const [traceId, length] of traceIds) {
    assert.equal(spanIn({ traceId }).traceId.length, length, String(traceId));
  }
  assert.equal(spanIn({ spanId: bytes.slice(0, 8).toBase64() }).spanId, "5b8efff798038103");
});

Deno.test("a huge number as a JSON integer becomes digits", () => {
  const body = new TextEncoder().encode(
    JSON.stringify(traces([serverSpan({ attributes: [attribute("n", 1)] })]))
      .replace('"intValue":"1"', '"intValue":9223372036854775807'),
  );
  const [found] = decodeTraces(body, JSON_TYPE)[0]?.scopes[0]?.items ?? [];
  assert.deepEqual(found?.attributes, { n: "9223372036854775808" });
});

Deno.test("values are cut where they are too deep, too long or too many", () => {
  let deep: Record<string, unknown> = { stringValue: "bottom" };
  for (let level = 0; level < 70; level++) deep = { arrayValue: { values: [deep] } };
  const request = traces([
    serverSpan({
      name: "n".repeat(5_000),
      attributes: [
        { key: "deep", value: deep },
        attribute("long", "ä".repeat(20_000)),
        attribute("exception.stacktrace", "s".repeat(70_000)),
        attribute("list", Array.from({ length: 500 }, (_, i) => i)),
        ...attributes(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a${i}`, i]))),
      ],
      events: Array.from({ length: 200 }, () => ({ timeUnixNano: nanosAt(1), name: "e" })),
      links: Array.from(
        { length: 130 },
        () => ({ traceId: "ab".repeat(16), spanId: "cd".repeat(8) }),
      ),
    }),
  ]);
  for (
    const [body, type] of [[tracesToProtobuf(request), PROTOBUF_TYPE], [
      jsonOf(request),
      JSON_TYPE,
    ]] as const
  ) {
    const [found] = decodeTraces(body, type)[0]?.scopes[0]?.items ?? [];
    assert.ok(found);
    assert.equal(
      JSON.stringify(found.attributes.deep),
      "[".repeat(64) + '"[too deep]"' + "]".repeat(64),
    );
    assert.equal(String(found.attributes.long).length, 16_384);
    assert.equal(String(found.attributes["exception.stacktrace"]).length, 65_536);
    assert.equal((found.attributes.list as unknown[]).length, 128);
    assert.equal(found.name.length, 1_024);
    assert.equal(Object.keys(found.attributes).length, 128);
    assert.equal(found.droppedAttributes, 204 - 128);
    assert.deepEqual([found.events.length, found.droppedEvents], [128, 72]);
    assert.deepEqual([found.links.length, found.droppedLinks], [128, 2]);
  }
});

Deno.test("NUL and lone surrogates do not get through, and of a repeated key the last value holds", () => {
  const request = traces([
    serverSpan({
      name: "a\0b",
      attributes: [
        { key: "k\0", value: anyValue("x\0y") },
        attribute("twice", 1),
        attribute("twice", 2),
        attribute("__proto__", "p"),
      ],
    }),
  ]);
  for (
    const [body, type] of [[tracesToProtobuf(request), PROTOBUF_TYPE], [
      jsonOf(request),
      JSON_TYPE,
    ]] as const
  ) {
    const [found] = decodeTraces(body, type)[0]?.scopes[0]?.items ?? [];
    assert.equal(found?.name, "a\ufffdb");
    assert.deepEqual(Object.entries(found?.attributes ?? {}), [
      ["k\ufffd", "x\ufffdy"],
      ["twice", 2],
      ["__proto__", "p"],
    ]);
  }
  assert.equal(spanIn({ name: "\ud800x" }).name, "\ufffdx");
});
