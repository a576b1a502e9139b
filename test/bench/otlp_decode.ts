/**
 * How many spans of eight attributes, and samples of profiles, one core reads in a second. Run with
 * `deno run -A test/bench/otlp_decode.ts`.
 */
import { decodeTraces } from "../../lib/formats/otlp/decode.ts";
import { decodeProfiles } from "../../lib/formats/otlp/profiles_decode.ts";
import { otlpTraces } from "../../lib/ingest/protocols/otlp.ts";
import { RECEIVED_AT, serverSpan, traces } from "../lib/formats/otlp/otlp_samples.ts";
import { tracesToProtobuf } from "../lib/formats/otlp/otlp_to_protobuf.ts";
import { profile, request as profilesRequest } from "../lib/formats/otlp/samples.ts";
import { profilesToProtobuf } from "../lib/formats/otlp/to_protobuf.ts";
import { decodeContext } from "../support/decode_context.ts";

/** As the SDKs' batch processors send them. */
const SPANS_PER_REQUEST = 512;
const ROUNDS = 5;
const ROUND_MS = 1_000;

const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) => {
  const hex = index.toString(16).padStart(4, "0");
  return serverSpan({
    traceId: "5b8efff798038103d269b633813f" + hex.slice(0, 3) + "0",
    spanId: "eee19b7ec3c1" + hex,
    parentSpanId: "aaa19b7ec3c10001",
  });
});
const request = traces(spans);
const json = new TextEncoder().encode(JSON.stringify(request));
const protobuf = tracesToProtobuf(request);

function rate(what: string, run: () => unknown, items = SPANS_PER_REQUEST, noun = "spans"): void {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let requests = 0;
    while (performance.now() - start < ROUND_MS) {
      run();
      requests++;
    }
    const seconds = (performance.now() - start) / 1000;
    best = Math.max(best, requests * items / seconds);
  }
  console.log(`${what}: ${Math.round(best).toLocaleString("en")} ${noun}/s`);
}

rate(
  `protobuf of ${protobuf.length} bytes, decoded`,
  () => decodeTraces(protobuf, "application/x-protobuf"),
);
rate(`JSON of ${json.length} bytes, decoded`, () => decodeTraces(json, "application/json"));
rate("protobuf to records", () => {
  const context = decodeContext({ receivedAt: RECEIVED_AT, contentType: "application/x-protobuf" });
  return otlpTraces.decode(protobuf, context);
});

const SAMPLES = 20_000;
const samples = Array.from({ length: SAMPLES }, (_, index) => ({
  stackIndex: 1 + index % 3,
  attributeIndices: [1, 2],
  values: [String(10_000_000 + index)],
  timestampsUnixNano: [String(BigInt(RECEIVED_AT.getTime()) * 1_000_000n - BigInt(index))],
}));
const profiles = profilesRequest([profile({ samples })]);
for (
  const [type, body] of [
    ["application/x-protobuf", profilesToProtobuf(profiles)],
    ["application/json", new TextEncoder().encode(JSON.stringify(profiles))],
  ] as const
) {
  const decode = () => decodeProfiles(body, type);
  rate(`profiles, ${type} of ${body.length} bytes, decoded`, decode, SAMPLES, "samples");
}
