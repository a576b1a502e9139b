import type { DecodeContext, Protocol } from "../protocol.ts";
import { countLost } from "./count_lost.ts";
import { otlpKey } from "./credentials.ts";
import { decodeLogs, decodeTraces } from "../../formats/otlp/decode.ts";
import { logBatch } from "../../formats/otlp/logs.ts";
import { acceptedOtlp, refusedOtlp } from "./otlp_reply_2.ts";
import { traceBatch } from "../../formats/otlp/traces.ts";

/** `POST /v1/traces`: spans of OpenTelemetry's SDKs and collectors. */
export const otlpTraces: Protocol = {
  name: "otlp_traces",
  category: "span",
  keyTypes: ["server"],
  credentials: otlpKey,
  findWhole: countLost("span"),
  decode: (body: Uint8Array, context: DecodeContext) =>
    traceBatch(decodeTraces(body, context.contentType), context),
  reply: (batch, req) => acceptedOtlp(batch, req, { category: "span", field: "rejectedSpans" }),
  refuse: refusedOtlp,
};

/** `POST /v1/logs`: log records of OpenTelemetry's SDKs and collectors. */
export const otlpLogs: Protocol = {
  name: "otlp_logs",
  category: "log_item",
  keyTypes: ["server"],
  credentials: otlpKey,
  findWhole: countLost("log_item"),
  decode: (body: Uint8Array, context: DecodeContext) =>
    logBatch(decodeLogs(body, context.contentType), context),
  reply: (batch, req) =>
    acceptedOtlp(batch, req, { category: "log_item", field: "rejectedLogRecords" }),
  refuse: refusedOtlp,
};

export { otlpMetrics } from "./protocol.ts";
