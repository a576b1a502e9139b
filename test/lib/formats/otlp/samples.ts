/** Requests of profiles as exporters write them, in OTLP's JSON form. */
import { otlpProfiles } from "@/lib/ingest/protocols/otlp.ts";
import type { DecodeContext } from "@/lib/formats/decode_context.ts";
import type { Batch } from "@/lib/records/mod.ts";
import { decodeWith } from "./decode_request.ts";
import { attributes, nanosAt, TRACE } from "./otlp_samples.ts";
import { profilesToProtobuf } from "./to_protobuf.ts";

// deno-lint-ignore no-explicit-any
type Fields = Record<string, any>;

export const SPAN = "eee19b7ec3c1b174";

/** Numbers of the texts below. */
const TEXTS = [
  "",
  "cpu",
  "nanoseconds",
  "samples",
  "count",
  "main",
  "work",
  "/app/shop.py",
  "/app/shop",
  "thread.name",
  "worker-1",
  "thread.id",
  "profile.frame.type",
  "bytes",
  "process.executable.build_id.gnu",
  "size",
];

/** Two functions, `main` and `work`; stack 1 is `main;work`, stack 2 `main`, stack 3 an address. */
export const DICTIONARY = {
  stringTable: TEXTS,
  mappingTable: [{}, {
    memoryStart: "139637976727552",
    memoryLimit: "139637976793088",
    fileOffset: "4096",
    filenameStrindex: 8,
    attributeIndices: [4],
  }],
  functionTable: [
    {},
    { nameStrindex: 5, filenameStrindex: 7, startLine: "3" },
    { nameStrindex: 6, systemNameStrindex: 6, filenameStrindex: 7, startLine: 9 },
  ],
  locationTable: [
    {},
    { lines: [{ functionIndex: 1, line: "5", column: "2" }], attributeIndices: [3] },
    { lines: [{ functionIndex: 2, line: 11 }], attributeIndices: [3] },
    { mappingIndex: 1, address: "139637976731648" },
  ],
  linkTable: [{}, { traceId: TRACE, spanId: SPAN }],
  attributeTable: [
    {},
    { keyStrindex: 9, value: { stringValueStrindex: 10 } },
    { keyStrindex: 11, value: { intValue: "7" } },
    { keyStrindex: 12, value: { stringValue: "cpython" } },
    { keyStrindex: 14, value: { stringValue: "abc123" } },
    { keyStrindex: 15, value: { intValue: "64" }, unitStrindex: 13 },
  ],
  stackTable: [{}, { locationIndices: [2, 1] }, { locationIndices: [1] }, { locationIndices: [3] }],
};

export const CPU = { typeStrindex: 1, unitStrindex: 2 };
export const COUNT = { typeStrindex: 3, unitStrindex: 4 };

/** A profile of processor time, and what `fields` say otherwise. */
export function profile(fields: Fields = {}): Fields {
  return {
    sampleType: CPU,
    timeUnixNano: nanosAt(0),
    durationNano: "10000000000",
    periodType: CPU,
    period: "10000000",
    samples: [{ stackIndex: 1, values: ["30000000"] }, { stackIndex: 2, values: [10000000] }],
    ...fields,
  };
}

/** A request of profiles of one service. */
export function request(profiles: readonly Fields[], fields: Fields = {}): Fields {
  const { resource = { "service.name": "checkout" }, scope, dictionary = DICTIONARY } = fields;
  return {
    resourceProfiles: [{
      resource: { attributes: attributes(resource) },
      scopeProfiles: [{
        ...(scope && { scope: { name: "profiler", attributes: attributes(scope) } }),
        profiles,
      }],
    }],
    dictionary,
  };
}

/** What a request turns into in either encoding. */
export function decodeBoth(sent: Fields, context: Partial<DecodeContext> = {}): [Batch, Batch] {
  return [
    decodeWith(otlpProfiles, JSON.stringify(sent), context),
    decodeWith(otlpProfiles, profilesToProtobuf(sent), {
      contentType: "application/x-protobuf",
      ...context,
    }),
  ];
}
