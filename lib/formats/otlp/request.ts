import { Refusal } from "../../core/refusal.ts";

/** The forms that OTLP has over HTTP. */
export type Encoding = "protobuf" | "json";

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ["application/x-protobuf", "protobuf"],
  // Not OTLP's own names, but there is no doubt about what they mean.
  ["application/protobuf", "protobuf"],
  ["application/vnd.google.protobuf", "protobuf"],
  ["application/json", "json"],
]);

/** `Content-Type` of answers: without parameters, since exporters compare it as it is. */
export const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: "application/x-protobuf",
  json: "application/json",
};

/**
 * The form that a `Content-Type` names, or null for every other one.
 *
 * @param contentType the header as sent, parameters and all; `""` when there is none
 */
export function encodingOf(contentType: string): Encoding | null {
  const [mediaType = ""] = contentType.split(";", 1);
  return ENCODINGS.get(mediaType.trim().toLowerCase()) ?? null;
}

const OPEN_BRACE = 0x7b;

/**
 * The form that a request is in.
 *
 * @param body decompressed
 * @param contentType of the request, as sent
 * @throws {Refusal} 415 for another content type, 400 for JSON that calls itself protobuf
 */
export function bodyEncoding(body: Uint8Array, contentType: string): Encoding {
  const encoding = encodingOf(contentType);
  if (encoding === null) throw unsupportedType();
  // The first byte of JSON is no field of any message.
  if (encoding === "protobuf" && body[0] === OPEN_BRACE) {
    throw unreadable("protobuf", "it looks like JSON");
  }
  return encoding;
}

/** What requests are made of. */
export type Items = "spans" | "logs" | "points";

const ITEM_WORDS: Readonly<Record<Items, string>> = {
  spans: "spans",
  logs: "log records",
  points: "data points",
};

/** A request with more items than one may have. */
export function tooManyItems(what: Items): Refusal {
  const words = ITEM_WORDS[what];
  const limit = LIMITS[what].toLocaleString("en");
  return new Refusal(
    413,
    `The request has more than ${limit} ${words}: let the exporter send smaller batches`,
    { kind: "too_large", reason: "too_many_items" },
  );
}

/** A request of so many parts that reading it would hold up all others. */
export function tooManyParts(): Refusal {
  return new Refusal(
    413,
    "The request has too many parts (attributes, events, links, values): let the exporter send smaller batches",
    { kind: "too_large", reason: "too_many_parts" },
  );
}

/** A body that is not what its content type says. @param hint what may be wrong, or `""` */
export function unreadable(form: "protobuf" | "JSON", hint = ""): Refusal {
  const message = `The body is not a whole OTLP request in ${form}`;
  return new Refusal(400, hint === "" ? message : `${message}: ${hint}`, {
    kind: "invalid",
    reason: form === "JSON" ? "invalid_json" : "invalid_protobuf",
  });
}

/** A body in a form that OTLP does not have. */
function unsupportedType(): Refusal {
  return new Refusal(
    415,
    "The Content-Type is not supported: use application/x-protobuf or application/json",
    { kind: "invalid", reason: "unsupported_content_type" },
  );
}

/** How much of an OTLP request is kept, and how much is taken at all. Lengths count UTF-16 units. */
export const LIMITS = {
  /** Of a span, an event, a link, a scope, a resource, a log record. */
  attributes: 128,
  /** Elements of one list or map that is a value. */
  elements: 128,
  /** Levels of lists and maps within a value; deeper ones become {@linkcode TOO_DEEP}. */
  depth: 64,
  events: 128,
  links: 128,
  /** Names of spans, events, attributes and scopes. */
  name: 1_024,
  /** Text values, and bodies of logs. */
  text: 16_384,
  stackText: 65_536,
  traceState: 512,
  /**
   * Spans of one request: twice what a Collector puts into one unless it is told. Reading this many takes a quarter of a
   * second, in which nobody else is answered; so do the numbers below.
   */
  spans: 16_384,
  /** Log records of one request. */
  logs: 40_000,
  /** Data points of one request. */
  points: 40_000,
  /** Messages of any kind in one request: a real one of 12 MB has a quarter of a million. Events and links count twice. */
  messages: 400_000,
  /** Resources and libraries of one request together: each takes half a kilobyte. */
  groups: 100_000,
  /** Exemplars of one point, or series, that are looked at. */
  exemplars: 100,
  /** Numbers of one list, such as buckets side by side: longer ones are not read to their end. */
  numbers: 10_000,
  /** Numbers in lists of one request that take a byte each. */
  requestNumbers: 2_000_000,
  /** Values and names in the JSON of one request, which has seven for each attribute. */
  jsonParts: 750_000,
} as const;

/** What stands where a value was nested too deep. */
export const TOO_DEEP = "[too deep]";

/** The attribute that may be longer than the others. */
const STACK = "exception.stacktrace";

/** How long the text value of an attribute may be. */
export function textLimit(attribute: string): number {
  return attribute === STACK ? LIMITS.stackText : LIMITS.text;
}
