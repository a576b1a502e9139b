import assert from "node:assert/strict";
import fc from "fast-check";
import { otlpProfiles } from "@/lib/ingest/protocols/otlp.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import type { Batch } from "@/lib/records/mod.ts";
import { timeBudget } from "@/test/support/time_budget.ts";
import { pprofGzip } from "@/test/support/pprof.ts";
import { assertStorable } from "../sentry/storable.ts";
import { decodeWith, outcomesOf } from "./decode_request.ts";
import { nanosAt } from "./otlp_samples.ts";
import { decodeBoth, DICTIONARY, profile, request } from "./samples.ts";
import { profilesToProtobuf } from "./to_protobuf.ts";

const PROTOBUF = { contentType: "application/x-protobuf" };

/** The batch of a body, or the status of its refusal. */
function outcomeOf(body: Uint8Array | string, context: object = {}): Batch | number {
  try {
    return decodeWith(otlpProfiles, body, context);
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.status;
  }
}

function assertFine(outcome: Batch | number): void {
  if (typeof outcome === "number") assert.ok([400, 413].includes(outcome));
  else for (const record of outcome.records) assertStorable(record);
}

/** Messages of these fields around some bytes. */
function wrapped(path: readonly number[], content: Uint8Array): Uint8Array {
  return path.reduceRight((inner, field) => {
    const length: number[] = [];
    let rest = inner.length;
    for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
    const bytes = new Uint8Array(inner.length + length.length + 2);
    bytes.set([field << 3 | 2, ...length, rest]);
    bytes.set(inner, bytes.length - inner.length);
    return bytes;
  }, content);
}

/** So many empty messages of this field. */
function empties(field: number, count: number): Uint8Array {
  return new Uint8Array(2 * count).map((_, at) => at % 2 === 0 ? field << 3 | 2 : 0);
}

Deno.test("a flood of empty messages is refused in good time", () => {
  const floods: Record<string, Uint8Array> = {
    resources: empties(1, 6_000_000),
    attributes: wrapped([1, 1], empties(1, 6_000_000)),
    scopes: wrapped([1], empties(2, 6_000_000)),
    profiles: wrapped([1, 2], empties(2, 6_000_000)),
    samples: wrapped([1, 2, 2], empties(2, 6_000_000)),
    "values of samples": wrapped([1, 2, 2, 2, 4], new Uint8Array(8_000_000)),
    "times of samples": wrapped([1, 2, 2, 2, 5], new Uint8Array(8 * 2_100_000)),
    dictionaries: empties(2, 6_000_000),
    texts: wrapped([2], empties(5, 6_000_000)),
    locations: wrapped([2], empties(2, 6_000_000)),
    lines: wrapped([2, 2], empties(3, 6_000_000)),
    "attributes of the dictionary": wrapped([2], empties(6, 6_000_000)),
    stacks: wrapped([2], empties(7, 6_000_000)),
    "places of a stack": wrapped([2, 7, 1], new Uint8Array(9_000_000)),
  };
  for (const [name, body] of Object.entries(floods)) {
    const start = performance.now();
    assert.equal(outcomeOf(body, PROTOBUF), 413, name);
    assert.ok(performance.now() - start < timeBudget(2_000), name);
  }
  assert.equal(outcomeOf(`{"dictionary":{"stackTable":[${"{},".repeat(1_600_000)}{}]}}`), 413);
  assert.equal(outcomeOf(new Uint8Array(32 * 1024 * 1024 + 1), PROTOBUF), 413);
});

Deno.test("few bytes that name much are rejected in good time, and nothing beside them", () => {
  const samples = Array.from({ length: 40_000 }, () => ({ stackIndex: 4, values: [1] }))
    .map((sample, index) => ({ ...sample, timestampsUnixNano: [nanosAt(index / 1000)] }));
  const stackTable = [...DICTIONARY.stackTable, {
    locationIndices: Array.from({ length: 100_000 }, () => 1),
  }];
  const sent = request([profile({ timeUnixNano: nanosAt(-1) }), profile({ samples })], {
    dictionary: { ...DICTIONARY, stackTable },
  });
  const start = performance.now();
  for (const batch of decodeBoth(sent)) {
    assert.equal(batch.records.length, 1);
    assert.deepEqual(outcomesOf(batch), ["1 profile too_large/profile_size"]);
  }
  assert.ok(performance.now() - start < timeBudget(5_000));
});

Deno.test("originals that inflate to much are not read without end", () => {
  const name = "x".repeat(1_000_000);
  const originalPayload = pprofGzip([{ stack: [name], values: [1n, 1n] }]).toBase64();
  const profiles = Array.from({ length: 3_000 }, (_, index) =>
    profile({
      timeUnixNano: nanosAt(index),
      originalPayloadFormat: "pprof",
      originalPayload,
    }));
  const start = performance.now();
  const batch = outcomeOf(JSON.stringify(request(profiles)));
  assert.ok(typeof batch !== "number" && batch.records.length < 200);
  assert.ok(performance.now() - start < timeBudget(10_000));
});

Deno.test("a body that is cut anywhere is refused or read, and never a bug", () => {
  const whole = profilesToProtobuf(request([profile()]));
  for (let length = 0; length < whole.length; length++) {
    assertFine(outcomeOf(whole.slice(0, length), PROTOBUF));
  }
  assert.equal(outcomeOf("[]"), 400);
  assert.equal(outcomeOf("{"), 400);
  assert.equal(outcomeOf("{}", PROTOBUF), 400);
  assert.equal(outcomeOf("x", { contentType: "text/plain" }), 415);
});

Deno.test("bytes that are changed anywhere are refused or read, and never a bug", () => {
  const whole = profilesToProtobuf(request([profile({ profileId: "ab".repeat(16) })]));
  const change = fc.tuple(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const bytes = whole.slice();
      for (const [at, byte] of changes) bytes[at] = byte;
      assertFine(outcomeOf(bytes, PROTOBUF));
    }),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    assertFine(outcomeOf(bytes, PROTOBUF));
  }));
});

Deno.test("fields of any JSON are refused or read, and never a bug", () => {
  const anything = fc.jsonValue({ maxDepth: 2 });
  const sample = fc.record({
    stackIndex: anything,
    values: fc.oneof(anything, fc.array(anything)),
    timestampsUnixNano: fc.oneof(anything, fc.array(anything)),
    attributeIndices: fc.oneof(anything, fc.array(anything)),
  }, { requiredKeys: [] });
  const table = fc.oneof(anything, fc.array(fc.oneof(anything, fc.constant({}))));
  fc.assert(fc.property(
    fc.array(sample),
    anything,
    table,
    fc.constantFrom(
      "timeUnixNano",
      "durationNano",
      "period",
      "periodType",
      "sampleType",
      "profileId",
      "originalPayload",
      "attributeIndices",
    ),
    fc.constantFrom(...Object.keys(DICTIONARY)),
    (samples, value, rows, name, tableName) => {
      const dictionary = { ...DICTIONARY, [tableName]: rows };
      const sent = request([profile({ samples }), profile({ [name]: value })], { dictionary });
      assertFine(outcomeOf(JSON.stringify(sent)));
    },
  ));
});
