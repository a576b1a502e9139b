import { PbfReader } from "pbf";
import { Refusal } from "../../core/refusal.ts";
import { decodeLogs, decodeTraces } from "../../formats/otlp/decode.ts";
import { logBatch } from "../../formats/otlp/logs.ts";
import { MetricTaker } from "../../formats/otlp/metric_taker.ts";
import { decodeMetrics } from "../../formats/otlp/metrics_decode.ts";
import { profileBatch, type ProfileFault } from "../../formats/otlp/profiles.ts";
import { decodeProfiles } from "../../formats/otlp/profiles_decode.ts";
import { traceBatch } from "../../formats/otlp/traces.ts";
import type { Batch, Category } from "../../records/mod.ts";
import { bearerKey, type Credentials, credentialsInHead } from "../identify.ts";
import type { DecodeContext } from "../../formats/decode_context.ts";
import type { Protocol } from "../protocol.ts";
import type { FindWhole } from "../receive.ts";
import { PROFILE_BODY } from "./pprof.ts";
import { acceptedOtlp, refusedOtlp } from "./otlp_reply.ts";
import { KEY_TYPES } from "../../accounts/keys.ts";

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

/** `POST /v1/metrics`: metrics of OpenTelemetry's SDKs and collectors. */
export const otlpMetrics: Protocol = {
  name: "otlp_metrics",
  category: "trace_metric",
  keyTypes: ["server"],
  credentials: otlpKey,
  decode: metricBatch,
  reply: (batch, req) =>
    acceptedOtlp(batch, req, { category: "trace_metric", field: "rejectedDataPoints" }),
  refuse: refusedOtlp,
};

function metricBatch(body: Uint8Array, context: DecodeContext): Batch {
  const taker = new MetricTaker(context);
  decodeMetrics(body, context.contentType, taker);
  return taker.finish();
}

/** Why profiles are rejected, in words that their sender can act on. */
const REASONS: Readonly<Record<ProfileFault, string>> = {
  older_protocol:
    "it is of OTLP before 1.10 of March 2026, when fields changed their numbers: use a newer exporter",
  no_sample_type: "it does not say what its values are",
  broken_samples:
    "most of its samples have no values, or name stacks, links or attributes that are not in the dictionary",
  profile_size: "it has more parts than a profile may have",
};

/** `POST /v1development/profiles`: profiles of OpenTelemetry's profilers and collectors. */
export const otlpProfiles: Protocol = {
  name: "otlp_profiles",
  category: "profile",
  body: PROFILE_BODY,
  keyTypes: ["server"],
  credentials: otlpKey,
  decode: (body: Uint8Array, context: DecodeContext) =>
    profileBatch(decodeProfiles(body, context.contentType), context),
  reply: (batch, req) =>
    acceptedOtlp(inWords(batch), req, { category: "profile", field: "rejectedProfiles" }),
  refuse: refusedOtlp,
};

function inWords<B extends Parameters<Protocol["reply"]>[0]>(batch: B): B {
  const words: Readonly<Record<string, string>> = REASONS;
  const outcomes = batch.outcomes.map((outcome) => ({
    ...outcome,
    reason: words[outcome.reason] ?? outcome.reason,
  }));
  return { ...batch, outcomes };
}

/** No request may have more; what a client announces to send may be a lie. */
const MAX_LOST = 200_000;
/** Length-delimited, in protobuf. */
const BYTES = 2;
/** Fields of an export request: its resources, their scopes, and the items of these. */
const LEVELS = [1, 2, 2] as const;
/** The first byte of every such request: its first resource. */
const RESOURCE = (LEVELS[0] << 3) | BYTES;

/**
 * Makes the function that estimates how many items an export request over the limit has, of which nothing is stored: in an
 * error storm people need to know how many spans they lose, and not how many requests.
 */
function countLost(category: Category): FindWhole {
  return (start, share) => {
    const wholeBytes = start.length / share;
    const seen = start[0] === RESOURCE ? itemsPerByte(start) * wholeBytes : 0;
    const quantity = Math.min(Math.max(1, Math.round(seen)), MAX_LOST);
    return { bytes: null, lost: { category, quantity } };
  };
}

/** How many items there are to a byte, in front of the last one that begins there; 0 when there is only one. */
function itemsPerByte(start: Uint8Array): number {
  const reader = new PbfReader(start);
  let items = 0;
  let lastAt = 0;
  const countIn = (level: number, end: number) => {
    for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
      if (reader.type !== BYTES || field !== LEVELS[level]) continue;
      if (level === LEVELS.length - 1) {
        items++;
        lastAt = reader.pos;
      } else {
        // What is cut off ends with the bytes that are there.
        const inner = reader.readVarint() + reader.pos;
        countIn(level + 1, Math.min(inner, end));
      }
    }
  };
  try {
    countIn(0, start.length);
  } catch {
    // Cut in the middle of a field.
  }
  return items < 2 ? 0 : (items - 1) / lastAt;
}

const ENCODED = /^bearer%20/i;

/**
 * The key in `Authorization`. `OTEL_EXPORTER_OTLP_HEADERS` has its values percent-encoded, which not every SDK undoes.
 *
 * @throws {Refusal} 401 when there is none
 */
export function otlpKey(req: Request): Credentials {
  const key = bearerKey(withDecodedBearer(req));
  if (key !== null) return key;
  throw new Refusal(401, "The request has no key: send it as Authorization: Bearer <public key>", {
    kind: "refused",
    reason: "no_key",
  });
}

/** The head of a request with a blank after `Bearer` in `Authorization`, should it have come as `%20`. */
function withDecodedBearer(req: Request): Request {
  const sent = req.headers.get("authorization") ?? "";
  if (!ENCODED.test(sent)) return req;
  return new Request(req.url, { headers: { authorization: sent.replace("%20", " ") } });
}

/** `UNIMPLEMENTED`: exporters give up at once and write the message to their log. */
const UNIMPLEMENTED = "12";

/** Whether a client speaks gRPC, whatever the address: `application/grpc`, `application/grpc+proto`. */
export function isGrpc({ headers }: Request): boolean {
  return /^application\/grpc\s*(?:[+;]|$)/i.test(headers.get("content-type") ?? "");
}

/**
 * What gRPC clients get at every address: how to send instead, in an answer that their libraries understand, which is
 * 200 with the status among the headers and no body.
 *
 * @param baseUrl of the service, which exporters are to be given
 */
export function grpcRefusal(baseUrl: string): Protocol {
  const detail = "OpenTelemetry is taken over HTTP and not over gRPC: set " +
    `OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and OTEL_EXPORTER_OTLP_ENDPOINT=${baseUrl}`;
  const refuseUnread = () => {
    throw new Refusal(415, detail, { kind: "invalid", reason: "grpc" });
  };
  const refuse = () =>
    new Response(null, {
      headers: {
        "content-type": "application/grpc",
        "grpc-status": UNIMPLEMENTED,
        "grpc-message": percentEncoded(detail),
      },
    });
  return {
    name: "grpc",
    category: "unknown",
    keyTypes: KEY_TYPES,
    credentials: (req, url) => bearerKey(withDecodedBearer(req)) ?? credentialsInHead(req, url),
    refuseUnread,
    decode: refuseUnread,
    reply: refuse,
    refuse,
  };
}

/** As gRPC has `grpc-message`: printable ASCII but for the percent sign stays. */
function percentEncoded(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}
