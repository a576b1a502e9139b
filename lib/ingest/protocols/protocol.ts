import type { Batch } from "../../records/mod.ts";
import type { DecodeContext, Protocol } from "../protocol.ts";
import { otlpKey } from "./credentials.ts";
import { bodyEncoding } from "../../formats/otlp/encoding.ts";
import { acceptedOtlp, refusedOtlp } from "./otlp_reply_2.ts";
import { readJson } from "../../formats/otlp/json_request.ts";
import { MetricTaker } from "../../formats/otlp/metric_taker.ts";
import { readProtobuf } from "../../formats/otlp/proto_request.ts";

/** `POST /v1/metrics`: metrics of OpenTelemetry's SDKs and collectors. */
export const otlpMetrics: Protocol = {
  name: "otlp_metrics",
  category: "trace_metric",
  keyTypes: ["server"],
  credentials: otlpKey,
  decode: decodeMetrics,
  reply: (batch, req) =>
    acceptedOtlp(batch, req, { category: "trace_metric", field: "rejectedDataPoints" }),
  refuse: refusedOtlp,
};

/**
 * Makes the record of an `ExportMetricsServiceRequest`.
 *
 * @param body decompressed
 * @throws {Refusal} 415 for another content type, 413 for too many points or parts, 400 for what is no such request
 */
function decodeMetrics(body: Uint8Array, context: DecodeContext): Batch {
  const taker = new MetricTaker(context);
  if (bodyEncoding(body, context.contentType) === "json") readJson(body, taker);
  else readProtobuf(body, taker);
  return taker.finish();
}
