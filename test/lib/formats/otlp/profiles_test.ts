import assert from "node:assert/strict";
import { otlpProfiles } from "@/lib/ingest/protocols/otlp.ts";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { inflatePprof } from "@/lib/formats/pprof/compression.ts";
import type { PprofProfile } from "@/lib/formats/pprof/profile.ts";
import { timeOrder } from "@/lib/profiles/trees/time_order.ts";
import type { Batch, Profile } from "@/lib/records/mod.ts";
import { pprofGzip } from "@/test/support/pprof.ts";
import { pprofOf, stacksOf } from "../sentry/profile_fixtures.ts";
import { assertStorable } from "../sentry/storable.ts";
import { decodeWith, only, outcomesOf } from "./decode_request.ts";
import { nanosAt, RECEIVED_AT, TRACE } from "./otlp_samples.ts";
import { COUNT, CPU, decodeBoth, DICTIONARY, profile, request, SPAN } from "./samples.ts";
import { profilesIn, profilesToProtobuf } from "./to_protobuf.ts";

const FIXTURES = new URL("../../../fixtures/otlp_profiles/", import.meta.url);

const profilesOf = ({ records }: Batch) => records as readonly Profile[];

/** The profile that a request turns into, the same in either encoding. */
function onlyOf(sent: Parameters<typeof decodeBoth>[0]): Profile {
  const [json, protobuf] = decodeBoth(sent).map((batch) => {
    assert.deepEqual(batch.outcomes, []);
    return only(profilesOf(batch));
  });
  assert.ok(json && protobuf);
  assert.deepEqual(json, protobuf);
  assertStorable(json);
  return json;
}

function totalsByStack(profile: PprofProfile): Map<string, readonly bigint[]> {
  const totals = new Map<string, bigint[]>();
  for (const { stack, values } of stacksOf(profile)) {
    const key = stack.join(";");
    const sums = totals.get(key) ?? values.map(() => 0n);
    totals.set(key, values.map((value, index) => value + (sums[index] ?? 0n)));
  }
  return totals;
}

Deno.test("what a collector sends of a Go profile has the numbers of that profile", () => {
  const source = decodePprof(
    inflatePprof(Deno.readFileSync(new URL("source.pb.gz", FIXTURES))),
  ).profile;
  const receivedAt = new Date(Number(source.timeNanos / 1_000_000n) + 60_000);
  const records = ([["request.pb", "x-protobuf"], ["request.json", "json"]] as const).map(
    ([file, type]) =>
      only(profilesOf(decodeWith(
        otlpProfiles,
        Deno.readFileSync(new URL(file, FIXTURES)),
        { contentType: `application/${type}`, receivedAt },
      ))),
  );
  for (const record of records) {
    assert.deepEqual(totalsByStack(pprofOf(record)), totalsByStack(source));
    assert.deepEqual(
      [record.service, record.release, record.environment, record.instance, record.platform],
      ["shop", "1.4.0", "production", "shop-7", "go"],
    );
    assert.deepEqual([record.profileKind, record.periodType, record.period, record.isDelta], [
      "cpu",
      "cpu:nanoseconds",
      10_000_000n,
      true,
    ]);
    assert.equal(record.profileId, "0102030405060708090a0b0c0d0e0f10");
    const [trace] = record.traces;
    assert.deepEqual([record.traces.length, trace?.traceId, trace?.spanId], [1, TRACE, SPAN]);
    assert.deepEqual(record.labels, { "k8s.pod.name": ["shop-7"], route: ["/checkout"] });
  }
  assert.deepEqual(records[0], records[1]);
});

Deno.test("these tests' definitions of profiles are those of a collector", () => {
  const json = JSON.parse(Deno.readTextFileSync(new URL("request.json", FIXTURES)));
  const protobuf = Deno.readFileSync(new URL("request.pb", FIXTURES));
  assert.deepEqual(profilesIn(profilesToProtobuf(json)), profilesIn(protobuf));
});

Deno.test("functions, lines, columns and inlined calls are those of the dictionary", () => {
  const record = onlyOf(request([profile()]));
  const { functions, locations, strings, sampleTypes } = pprofOf(record);
  assert.deepEqual(sampleTypes, [{ type: "cpu", unit: "nanoseconds" }]);
  assert.deepEqual([...functions.names].map((name) => strings[name]), ["work", "main"]);
  assert.deepEqual([...functions.startLines], [9, 3]);
  assert.deepEqual([[...locations.lines], [...locations.columns]], [[11, 5], [0, 2]]);
  assert.deepEqual(stacksOf(pprofOf(record)), [
    { stack: ["main", "work"], values: [30_000_000n] },
    { stack: ["main"], values: [10_000_000n] },
  ]);
  assert.deepEqual([record.service, record.platform, record.durationMs, record.samples], [
    "checkout",
    "python",
    10_000,
    2,
  ]);
  assert.equal(record.timestamp.getTime(), RECEIVED_AT.getTime() - 60_000);
});

Deno.test("an address is that in its file, with the file's build id", () => {
  const record = onlyOf(request([profile({ samples: [{ stackIndex: 3, values: [1] }] })]));
  const { locations, mappings, strings } = pprofOf(record);
  assert.deepEqual([...locations.addresses], [8_192n]);
  assert.deepEqual([...locations.lineStarts], [0, 0]);
  assert.equal(strings[mappings.filenames[0] ?? 0], "/app/shop");
  assert.equal(strings[mappings.buildIds[0] ?? 0], "abc123");
});

Deno.test("profiles that differ in their types only are one, values of equal samples side by side", () => {
  const counted = profile({
    sampleType: COUNT,
    samples: [{ stackIndex: 1, values: [2] }, { stackIndex: 3, values: [5] }],
  });
  const record = onlyOf(request([profile(), counted]));
  assert.deepEqual(record.totals.map(({ type, total }) => [type, total]), [
    ["cpu", 40_000_000n],
    ["samples", 7n],
  ]);
  assert.deepEqual(stacksOf(pprofOf(record)).map(({ values }) => values), [
    [30_000_000n, 2n],
    [10_000_000n, 0n],
    [0n, 5n],
  ]);
  const ordered = onlyOf(request([profile(), counted], {
    scope: {
      "pprof.scope.sample_type_order": [1, 0],
      "pprof.scope.default_sample_type": "samples",
    },
  }));
  assert.deepEqual(ordered.totals.map(({ type }) => type), ["samples", "cpu"]);
  assert.equal(pprofOf(ordered).defaultSampleType, "samples");
});

Deno.test("profiles of other times, periods or of the same type stay apart", () => {
  for (
    const other of [
      { sampleType: COUNT, timeUnixNano: nanosAt(1) },
      { sampleType: COUNT, durationNano: "1" },
      { sampleType: COUNT, period: "1" },
      { sampleType: COUNT, periodType: COUNT },
      { samples: [{ stackIndex: 2, values: [9] }] },
    ]
  ) {
    const [json, protobuf] = decodeBoth(request([profile(), profile(other)]));
    assert.equal(json.records.length, 2, JSON.stringify(other));
    assert.deepEqual(json.records, protobuf.records);
  }
});

Deno.test("attributes and links of samples become labels, and name traces", () => {
  const record = onlyOf(request([
    profile({
      samples: [
        { stackIndex: 1, values: [3], attributeIndices: [1, 2, 5], linkIndex: 1 },
        { stackIndex: 2, values: [4] },
      ],
      attributeIndices: [1],
    }),
  ]));
  assert.deepEqual(record.traces, [{ traceId: TRACE, spanId: SPAN, totals: [3n] }]);
  assert.deepEqual(record.labels, { "thread.name": ["worker-1"] });
  const { samples: { labels }, strings } = pprofOf(record);
  assert.deepEqual([...labels.keys].map((key) => strings[key]), [
    "thread.name",
    "thread.id",
    "size",
    "trace_id",
    "span_id",
  ]);
  assert.deepEqual([...labels.numbers], [0n, 7n, 64n, 0n, 0n]);
  assert.equal(strings[labels.units[2] ?? 0], "bytes");
});

Deno.test("samples that were seen at several times are a sample for each", () => {
  const times = [nanosAt(5), nanosAt(15)];
  const record = onlyOf(request([
    profile({
      sampleType: COUNT,
      samples: [
        { stackIndex: 1, timestampsUnixNano: times, attributeIndices: [2] },
        { stackIndex: 2, timestampsUnixNano: [nanosAt(10)], values: [3], attributeIndices: [2] },
        { stackIndex: 2, values: [1, 1] },
      ],
    }),
  ]));
  assert.deepEqual(stacksOf(pprofOf(record)).map(({ values }) => values), [[1n], [1n], [3n], [2n]]);
  // Samples are counted, and time is what lies between them.
  assert.deepEqual(record.totals, [
    { type: "samples", unit: "count", total: 7n },
    { type: "cpu", unit: "nanoseconds", total: 70_000_000n },
  ]);
  const { threads } = timeOrder([pprofOf(record)], { type: "samples", unit: "count" });
  const [thread] = threads;
  assert.equal(thread?.id, "7");
  assert.deepEqual(thread?.samples.map(({ start }) => start), [5e6, 10e6, 15e6]);
});

Deno.test("numbers beyond doubles and below zero are exact", () => {
  const record = onlyOf(request([
    profile({
      samples: [
        { stackIndex: 1, values: ["9007199254740993"] },
        { stackIndex: 2, values: ["-9007199254740995"] },
      ],
    }),
  ]));
  assert.deepEqual(stacksOf(pprofOf(record)).map(({ values }) => values), [
    [9007199254740993n],
    [-9007199254740995n],
  ]);
});

Deno.test("the pprof that profiles were made of is taken in their place", () => {
  const bytes = pprofGzip();
  const originalPayload = bytes.toBase64();
  const sent = profile({ originalPayloadFormat: "pprof", originalPayload });
  const record = onlyOf(request([sent, profile({ sampleType: COUNT })]));
  assert.deepEqual(new Uint8Array(record.blob.bytes), bytes);
  assert.deepEqual(record.totals.map(({ type }) => type), ["samples", "cpu"]);
  const broken = profile({ originalPayloadFormat: "pprof", originalPayload: "AAAA" });
  assert.equal(onlyOf(request([broken])).totals[0]?.total, 40_000_000n);
});

Deno.test("the same profile sent again has the same id, in any dictionary", () => {
  const first = onlyOf(request([profile()]));
  const stringTable = [...DICTIONARY.stringTable, "more"];
  const again = onlyOf(request([profile()], { dictionary: { ...DICTIONARY, stringTable } }));
  assert.equal(first.profileId, again.profileId);
  const [twice] = decodeBoth(request([profile(), profile()]));
  assert.equal(twice.records.length, 1);
  assert.deepEqual(outcomesOf(twice), ["1 profile duplicate/same_profile"]);
  const named = onlyOf(request([profile({ profileId: "AB".repeat(16) })]));
  assert.equal(named.profileId, "ab".repeat(16));
  const other = onlyOf(request([profile()], { resource: { "service.name": "billing" } }));
  assert.notEqual(other.profileId, first.profileId);
});

Deno.test("samples that lead nowhere are left out, and a profile of them is rejected", () => {
  const whole = profile().samples;
  for (
    const broken of [
      { stackIndex: 9, values: [1] },
      { stackIndex: 1, linkIndex: 9, values: [1] },
      { stackIndex: 1, attributeIndices: [99], values: [1] },
      { stackIndex: 1 },
      { stackIndex: 1, values: [1], timestampsUnixNano: [nanosAt(0), nanosAt(1)] },
    ]
  ) {
    assert.equal(onlyOf(request([profile({ samples: [...whole, broken] })])).samples, 2);
    for (const batch of decodeBoth(request([profile({ samples: [broken] })]))) {
      assert.deepEqual(batch.records, []);
      assert.deepEqual(outcomesOf(batch), ["1 profile invalid/broken_samples"]);
    }
  }
  for (const batch of decodeBoth(request([profile({ sampleType: undefined })]))) {
    assert.deepEqual(outcomesOf(batch), ["1 profile invalid/no_sample_type"]);
  }
});

Deno.test("tables that lead nowhere lose what they name, and a profile without samples is one", () => {
  const dictionary = {
    ...DICTIONARY,
    locationTable: [{}, { lines: [{ functionIndex: 77 }] }, { mappingIndex: 5, address: "16" }],
    stackTable: [{}, { locationIndices: [2, 1, 50] }, {}],
    functionTable: [],
  };
  const record = onlyOf(request([profile()], { dictionary }));
  assert.equal(record.totals[0]?.total, 40_000_000n);
  assert.equal(onlyOf(request([profile({ samples: [] })])).samples, 0);
  assert.deepEqual(decodeBoth({}).map(({ records }) => records), [[], []]);
});

Deno.test("the protocol's older form is told from today's", () => {
  const [json] = decodeBoth(request([{ ...profile(), sample: [] }]));
  assert.deepEqual(outcomesOf(json), ["1 profile invalid/older_protocol"]);
  const inProfile = (...bytes: number[]) => {
    const scope = [0x12, bytes.length, ...bytes];
    const group = [0x12, scope.length, ...scope];
    const body = new Uint8Array([0x0a, group.length, ...group]);
    return outcomesOf(decodeWith(otlpProfiles, body, { contentType: "application/x-protobuf" }));
  };
  const inSample = (...bytes: number[]) => inProfile(0x0a, 0, 0x12, bytes.length, ...bytes);
  const older = ["1 profile invalid/older_protocol"];
  // An id of 16 bytes in field 8.
  assert.deepEqual(inProfile(0x42, 16, ...new Array(16).fill(7)), older);
  // Values in field 2 of a sample, attributes in 3, a link in 4.
  assert.deepEqual(inSample(0x12, 1, 5), older);
  assert.deepEqual(inSample(0x12, 1, 0, 0x1a, 1, 0), older);
  assert.deepEqual(inSample(0x12, 1, 0, 0x20, 1), older);
  // And today's: attributes, a link, values.
  assert.deepEqual(inSample(0x12, 1, 0, 0x18, 0, 0x22, 1, 5), []);
});

Deno.test("types and kinds are known by what is counted", () => {
  const dictionary = {
    ...DICTIONARY,
    stringTable: [...DICTIONARY.stringTable, "inuse_space", "wall"],
  };
  const kindOf = (typeStrindex: number) =>
    onlyOf(
      request([profile({ sampleType: { typeStrindex, unitStrindex: 2 }, periodType: undefined })], {
        dictionary,
      }),
    ).profileKind;
  assert.deepEqual([kindOf(CPU.typeStrindex), kindOf(16), kindOf(17)], ["cpu", "memory", "wall"]);
});
