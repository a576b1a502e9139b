import type { Outcome } from "../../records/mod.ts";
import { faultInWords, isOverSeriesLimit } from "../../formats/metrics/limits.ts";
import { otlpKey } from "./otlp.ts";
import type { DecodeContext } from "../../formats/decode_context.ts";
import type { Protocol } from "../protocol.ts";
import { Refusal } from "../../core/refusal.ts";
import { FamilyMemory } from "../../formats/prometheus/families.ts";
import { readV1 } from "../../formats/prometheus/read_v1.ts";
import { readV2 } from "../../formats/prometheus/read_v2.ts";
import { type RemoteWriteBatch, SeriesTaker } from "../../formats/prometheus/series_taker.ts";

/** Of decoders that are run by themselves. */
const ownMemory = new FamilyMemory();

/** `POST /api/v1/write`: Prometheus' remote write, versions 1.0 and 2.0. */
export const prometheusWrite: Protocol<RemoteWriteBatch> = {
  name: "prometheus_write",
  category: "trace_metric",
  usesFamilies: true,
  keyTypes: ["server"],
  credentials: otlpKey,
  decode: decodeWrite,
  reply: (batch, req) => answer(batch as RemoteWriteBatch, req),
  refuse: ({ status, detail, headers }) => textResponse(status, detail, headers),
};

/**
 * Makes the record of a request.
 *
 * @param body decompressed
 * @throws {Refusal} 415 for another message, 400 for what is no whole one, 413 for too many samples or parts
 */
function decodeWrite(body: Uint8Array, context: DecodeContext): RemoteWriteBatch {
  const { projectId, contentType, families = ownMemory } = context;
  const taker = new SeriesTaker(context);
  if (versionOf(contentType) === 2) readV2(body, taker);
  else readV1(body, { taker, families, projectId });
  return taker.finish();
}

const MESSAGES: ReadonlyMap<string, 1 | 2> = new Map([
  ["", 1],
  ["prometheus.WriteRequest", 1],
  ["io.prometheus.write.v2.Request", 2],
]);

/** Which message a content type names. @throws {Refusal} 415 for none that is known */
function versionOf(contentType: string): 1 | 2 {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const proto = parameters.find((each) => /^proto=/i.test(each))?.slice("proto=".length) ?? "";
  const version = MESSAGES.get(proto.replaceAll('"', ""));
  if (version !== undefined && type.toLowerCase() === "application/x-protobuf") return version;
  throw new Refusal(
    415,
    "The Content-Type is not supported: use application/x-protobuf, as remote write 1.0 and 2.0 have it",
    { kind: "invalid", reason: "unsupported_content_type" },
  );
}

/**
 * 204 when all was taken. What was not is told with 400, since there is no other way: version 2.0 says so for any
 * sample, and its headers tell how many were written; to version 1.0, which would take all for lost, only when nothing
 * was taken. Neither sends such a request again.
 */
function answer({ records, outcomes, written }: RemoteWriteBatch, req: Request): Response {
  const isV2 = versionOf(req.headers.get("content-type") ?? "") === 2;
  const headers = {
    "x-prometheus-remote-write-samples-written": String(written.samples),
    "x-prometheus-remote-write-histograms-written": String(written.histograms),
    "x-prometheus-remote-write-exemplars-written": String(written.exemplars),
  };
  const rejected = outcomes.filter(isRejected);
  const isLost = rejected.length > 0 && (isV2 || records.length === 0);
  if (isLost) {
    const sentences = rejected.slice(0, MAX_SENTENCES).map(sentenceOf);
    return textResponse(400, sentences.join(" "), headers);
  }
  return new Response(null, { status: 204, headers });
}

/** Prometheus logs no more than a line. */
const MAX_SENTENCES = 10;

function isRejected({ kind, reason }: Outcome): boolean {
  return kind === "invalid" || isOverSeriesLimit(reason);
}

function sentenceOf({ reason, quantity }: Outcome): string {
  const what = quantity === 1 ? "1 sample was" : `${quantity} samples were`;
  return `${what} rejected: ${faultInWords(reason)}.`;
}

function textResponse(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  });
}
