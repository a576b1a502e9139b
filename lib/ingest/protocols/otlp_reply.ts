import { Root, type Type } from "protobufjs/light.js";
import type { Refusal } from "../../core/refusal.ts";
import { faultInWords, isOverSeriesLimit } from "../../formats/metrics/limits.ts";
import { type Encoding, encodingOf, MEDIA_TYPES } from "../../formats/otlp/request.ts";
import type { Batch, Category, Outcome } from "../../records/mod.ts";
import { CORS_HEADERS } from "./sentry_reply.ts";

/** SDKs give a batch up at once when they are to wait for longer than their whole attempt may take, 10 s. */
const MAX_RETRY_AFTER_SEC = 5;

/** A refusal as OTLP has it: a `google.rpc.Status` in the encoding of the request, JSON or protobuf. */
export function refusedOtlp({ status, detail, headers }: Refusal, req: Request): Response {
  const encoding = encodingFor(req);
  return respond(status, rpcStatus(status, detail, encoding), encoding, {
    ...headers,
    ...(status === 503 && { "retry-after": shortened(headers["retry-after"]) }),
  });
}

function shortened(retryAfter: string | undefined): string {
  return String(Math.min(Number(retryAfter ?? MAX_RETRY_AFTER_SEC), MAX_RETRY_AFTER_SEC));
}

/** What a protocol's items are counted as. */
interface Rejected {
  readonly category: Category;
  /** Where the answer says how many were rejected. */
  readonly field: string;
}

/** Why items are rejected, in words that their sender can act on. */
const REASONS: Readonly<Record<string, string>> = {
  bad_id: "a trace id has 16 bytes, a span id 8, and neither is all zero",
  bad_time:
    "the time is more than an hour ahead or older than what is kept; times are nanoseconds since 1970",
  same_id: "another one of the request has the same ids and says something else",
  empty_log: "there is neither a body nor an attribute",
  too_many_exceptions: "one trace, or one request, has too many",
};

/** Items of which nothing is stored because of what they are, and not because the project does not want them. */
const REJECTED_KINDS = new Set(["invalid", "too_large"]);

/**
 * The answer to a request that was taken, with what was not in it: in OTLP's words a full or a partial success. When no
 * item had ids that could be used, it is a refusal, which SDKs report.
 */
export function acceptedOtlp(
  { records, outcomes }: Batch,
  req: Request,
  { category, field }: Rejected,
): Response {
  const encoding = encodingFor(req);
  const refused = outcomes.filter(isRejected);
  const message = refused.slice(0, MAX_SENTENCES).map(sentenceOf).join(" ");
  if (records.length === 0 && outcomes.length > 0 && outcomes.every(hasBadId)) {
    return respond(400, rpcStatus(400, message, encoding), encoding);
  }
  const rejected = refused.filter((outcome) => outcome.category === category)
    .reduce((sum, { quantity }) => sum + quantity, 0);
  return respond(200, exportResponse({ field, rejected, message }, encoding), encoding);
}

/** There may be one for each of many metrics. */
const MAX_SENTENCES = 20;

function isRejected({ kind, reason }: Outcome): boolean {
  return REJECTED_KINDS.has(kind) || isOverSeriesLimit(reason);
}

function hasBadId({ reason }: Outcome): boolean {
  return reason === "bad_id";
}

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  span: ["span was", "spans were"],
  log_item: ["log record was", "log records were"],
  error: ["exception was", "exceptions were"],
  trace_metric: ["data point was", "data points were"],
};

function sentenceOf({ category, reason, quantity }: Outcome): string {
  const [one, many] = NOUNS[category] ?? ["item was", "items were"];
  const what = `${quantity} ${quantity === 1 ? one : many} rejected`;
  return `${what}: ${REASONS[reason] ?? faultInWords(reason)}.`;
}

/** Whoever sends neither form is most likely a person with `curl`. */
function encodingFor(req: Request): Encoding {
  return encodingOf(req.headers.get("content-type") ?? "") ?? "json";
}

function respond(
  status: number,
  body: Uint8Array<ArrayBuffer> | string,
  encoding: Encoding,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: { ...CORS_HEADERS, "content-type": MEDIA_TYPES[encoding], ...headers },
  });
}

/** Codes of `google.rpc.Code` by HTTP status, as OTLP has them. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 12,
  405: 12,
  408: 4,
  413: 8,
  415: 3,
  429: 8,
  500: 13,
  501: 12,
  502: 14,
  503: 14,
  504: 4,
};
const UNKNOWN = 2;

const BAD_REQUEST_URL = "type.googleapis.com/google.rpc.BadRequest";

/** The messages of answers: `google.rpc.Status` with what is in it, and `Export…ServiceResponse`, alike for all signals. */
const MESSAGES = Root.fromJSON({
  nested: {
    Status: {
      fields: {
        code: { id: 1, type: "int32" },
        message: { id: 2, type: "string" },
        details: { id: 3, type: "Any", rule: "repeated" },
      },
    },
    Any: { fields: { typeUrl: { id: 1, type: "string" }, value: { id: 2, type: "bytes" } } },
    BadRequest: {
      fields: { fieldViolations: { id: 1, type: "FieldViolation", rule: "repeated" } },
    },
    FieldViolation: { fields: { description: { id: 2, type: "string" } } },
    ExportResponse: { fields: { partialSuccess: { id: 1, type: "PartialSuccess" } } },
    PartialSuccess: {
      fields: { rejected: { id: 1, type: "int64" }, errorMessage: { id: 2, type: "string" } },
    },
  },
});
const STATUS = MESSAGES.lookupType("Status");
const BAD_REQUEST = MESSAGES.lookupType("BadRequest");
const EXPORT_RESPONSE = MESSAGES.lookupType("ExportResponse");

type Body = Uint8Array<ArrayBuffer> | string;

function encoded(type: Type, message: Readonly<Record<string, unknown>>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(type.encode(message).finish());
}

/** The body of a refusal. @param message a sentence @param status of HTTP */
function rpcStatus(status: number, message: string, encoding: Encoding): Body {
  const code = RPC_CODES[status] ?? UNKNOWN;
  const isBadRequest = status === 400;
  if (encoding === "json") {
    const details = [{ "@type": BAD_REQUEST_URL, fieldViolations: [{ description: message }] }];
    return JSON.stringify({ code, message, ...(isBadRequest && { details }) });
  }
  // Half of a pair of surrogates would make bytes that are no text.
  const text = message.toWellFormed();
  const value = encoded(BAD_REQUEST, { fieldViolations: [{ description: text }] });
  const details = isBadRequest ? [{ typeUrl: BAD_REQUEST_URL, value }] : [];
  return encoded(STATUS, { code, message: text, details });
}

/** What was not taken of a request that was. */
interface PartialSuccess {
  /** In lowerCamelCase, as `rejectedSpans`. */
  readonly field: string;
  readonly rejected: number;
  /** Sentences, or `""`. */
  readonly message: string;
}

/** The body of an answer to a request that was taken: empty when all of it was. */
function exportResponse(
  { field, rejected, message }: PartialSuccess,
  encoding: Encoding,
): Body {
  const isWhole = rejected === 0 && message === "";
  if (encoding === "json") {
    const count = rejected > 0 ? { [field]: String(rejected) } : {};
    return isWhole ? "{}" : JSON.stringify({ partialSuccess: { ...count, errorMessage: message } });
  }
  if (isWhole) return new Uint8Array();
  const count = rejected > 0 ? { rejected } : {};
  const errorMessage = message.toWellFormed();
  return encoded(EXPORT_RESPONSE, { partialSuccess: { ...count, errorMessage } });
}
