/**
 * How many samples one core reads in a second, of requests with 5,000 points of as many series. Run with
 * `deno run -A test/bench/metrics/decode.ts`.
 */
import { gzipSync } from "node:zlib";
import { compress } from "snappyjs";
import { inflate } from "@/lib/ingest/inflate.ts";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { prometheusWrite } from "@/lib/ingest/protocols/prometheus.ts";
import { RECEIVED_AT } from "../../lib/formats/otlp/otlp_samples.ts";
import { metricsToProtobuf } from "../../lib/formats/otlp/otlp_to_protobuf.ts";
import { decodeContext } from "../../support/decode_context.ts";
import { toV1, toV2 } from "../../lib/formats/prometheus/to_protobuf.ts";
import { MANY_POINTS, manyHistograms, manyNumbers, manyScraped } from "./requests.ts";

const ROUNDS = 5;
const ROUND_MS = 1_000;

function rate(what: string, run: () => unknown): void {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let requests = 0;
    while (performance.now() - start < ROUND_MS) {
      run();
      requests++;
    }
    best = Math.max(best, requests * MANY_POINTS / ((performance.now() - start) / 1000));
  }
  console.log(`${what}: ${Math.round(best).toLocaleString("en")} samples/s`);
}

function measure(what: string, request: unknown): void {
  const protobuf = metricsToProtobuf(request);
  const zipped = gzipSync(protobuf);
  const json = new TextEncoder().encode(JSON.stringify(request));
  const decode = (body: Uint8Array, contentType: string) =>
    otlpMetrics.decode(body, decodeContext({ receivedAt: RECEIVED_AT, contentType }));
  rate(
    `${what}, protobuf of ${protobuf.length} bytes`,
    () => decode(protobuf, "application/x-protobuf"),
  );
  rate(
    `${what}, protobuf gzip of ${zipped.length} bytes`,
    () => decode(inflate(zipped, "gzip", 12_000_000), "application/x-protobuf"),
  );
  rate(`${what}, JSON of ${json.length} bytes`, () => decode(json, "application/json"));
}

measure("Counters", manyNumbers());
measure("Histograms", manyHistograms());

const scraped = manyScraped();
for (
  const [version, body, contentType] of [
    ["1.0", toV1(scraped), "application/x-protobuf"],
    ["2.0", toV2(scraped), "application/x-protobuf;proto=io.prometheus.write.v2.Request"],
  ] as const
) {
  const block = compress(body);
  rate(`Remote write ${version}, snappy of ${block.length} bytes`, () =>
    prometheusWrite.decode(
      inflate(block, "snappy", 12_000_000),
      decodeContext({ receivedAt: RECEIVED_AT, contentType }),
    ));
}
