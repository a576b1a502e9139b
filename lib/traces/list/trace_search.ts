import { storable } from "../../core/errors.ts";
import { type SearchToken, searchTokens } from "../../ui/search_tokens.ts";
import type { Comparison, TextColumn, TraceTerm } from "./trace_terms.ts";

/** A part of a search that is not understood. */
export interface SearchProblem {
  /** As typed. */
  readonly part: string;
  readonly reason: string;
}

export interface TraceSearch {
  readonly words: readonly string[];
  readonly terms: readonly (TraceTerm & { readonly isNegated: boolean })[];
  readonly problems: readonly SearchProblem[];
  /** The one trace that is asked for, 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
}

const MAX_VALUE_LENGTH = 200;

/** A term, a trace, or the reason why the token is neither. */
type Understood =
  | { readonly term: TraceTerm; readonly isNegated?: boolean }
  | { readonly traceId: string }
  | { readonly reason: string };
type Reader = (value: string) => Understood;

const text = (column: TextColumn): Reader => (value) => ({ term: { kind: "text", column, value } });
const user = (kind: string): Reader => (value) => ({
  term: { kind: "user", value: `${kind}:${value}` },
});

/** Keys with a meaning of their own, as people know them from Sentry and from OpenTelemetry; others are tags. */
const KEYS: Readonly<Record<string, Reader>> = {
  service: text("service"),
  "service.name": text("service"),
  name: text("name"),
  transaction: text("name"),
  op: text("op"),
  environment: text("environment"),
  release: text("release"),
  platform: text("platform"),
  route: text("route"),
  "http.route": text("route"),
  "http.method": text("httpMethod"),
  "http.request.method": text("httpMethod"),
  status: readStatus,
  duration: (value) => number("duration", readDurations(value)),
  "http.status": httpStatus,
  "http.status_code": httpStatus,
  "http.response.status_code": httpStatus,
  user: (value) => ({ term: { kind: "user", value } }),
  "user.id": user("id"),
  "user.email": user("email"),
  "user.username": user("username"),
  "user.ip": user("ip"),
  has: (value) => ({ term: { kind: "tag", key: currentName(value), value: null } }),
  trace: readTrace,
  trace_id: readTrace,
};

/**
 * Understands the search of the list of traces: words, `key:value`, `key:"a value"`, `*` in values, `!key:value`.
 * Never throws: parts that make no sense are named in `problems` and otherwise left out.
 */
export function parseTraceSearch(query: string): TraceSearch {
  const words: string[] = [];
  const terms: (TraceTerm & { isNegated: boolean })[] = [];
  const problems: SearchProblem[] = [];
  let traceId: string | null = null;
  for (const token of searchTokens(storable(query))) {
    const understood = understand(token);
    if (understood === null) words.push(wordOf(token).slice(0, MAX_VALUE_LENGTH));
    else if ("reason" in understood) problems.push({ part: token.raw, reason: understood.reason });
    else if ("term" in understood) {
      const isNegated = token.negated !== (understood.isNegated ?? false);
      terms.push({ ...understood.term, isNegated });
    } else if (token.negated) {
      problems.push({ part: token.raw, reason: "One trace cannot be left out" });
    } else traceId ??= understood.traceId;
  }
  return { words: words.filter((word) => word !== ""), terms, problems, traceId };
}

function understand(token: SearchToken): Understood | null {
  const { key, value, isOpen } = token;
  if (isOpen) return { reason: "The closing quote is missing" };
  if (key === null) return isTraceId(value) ? readTrace(value) : null;
  const reader = Object.hasOwn(KEYS, key.toLowerCase()) ? KEYS[key.toLowerCase()] : undefined;
  if (reader === undefined && isPasted(token)) return null;
  if (value === "") return { reason: `Write a value after ${key}:` };
  if (value.length > MAX_VALUE_LENGTH) {
    return { reason: `Values have at most ${MAX_VALUE_LENGTH} characters` };
  }
  return reader?.(value) ?? { term: { kind: "tag", key: currentName(key), value } };
}

/** Names under which spans are stored and shown, by what older clients call them. */
const CURRENT_NAMES: Readonly<Record<string, string>> = {
  "db.system": "db.system.name",
  "db.name": "db.namespace",
  "db.operation": "db.operation.name",
  "db.sql.table": "db.collection.name",
  "rpc.system": "rpc.system.name",
  "messaging.destination": "messaging.destination.name",
  "messaging.operation": "messaging.operation.type",
  "net.host.name": "server.address",
};

function currentName(key: string): string {
  return Object.hasOwn(CURRENT_NAMES, key) ? CURRENT_NAMES[key] ?? key : key;
}

/** Names and addresses look as if they had keys: `Users::show`, `https://a.example`, `cron:`. */
function isPasted({ value, raw }: SearchToken): boolean {
  return value.startsWith("//") || value.startsWith(":") || (value === "" && raw.endsWith(":"));
}

function wordOf({ key, raw, value }: SearchToken): string {
  return key === null ? value : raw;
}

function readTrace(value: string): Understood {
  return isTraceId(value)
    ? { traceId: value.replaceAll("-", "").toLowerCase() }
    : { reason: "A trace id has 32 hexadecimal digits" };
}

function isTraceId(value: string): boolean {
  return /^[0-9a-f]{32}$/i.test(value.replaceAll("-", ""));
}

/** `failed` and `ok` are what people mean; other words are statuses as they were sent; numbers are HTTP's. */
function readStatus(value: string): Understood {
  switch (value.toLowerCase()) {
    case "failed":
    case "error":
      return { term: { kind: "failed" } };
    case "ok":
      return { term: { kind: "failed" }, isNegated: true };
  }
  return /^[<>=]*\d/.test(value)
    ? httpStatus(value)
    : { term: { kind: "text", column: "status", value } };
}

function httpStatus(value: string): Understood {
  return number("httpStatus", readStatuses(value));
}

function number(column: "duration" | "httpStatus", compared: Compared): Understood {
  return typeof compared === "string"
    ? { reason: compared }
    : { term: { kind: "number", column, comparisons: compared } };
}

/** What all must hold, or the reason why the text cannot be read. */
type Compared = readonly Comparison[] | string;

const UNIT_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  µs: 0.001,
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};
const PART = /^(>=|<=|>|<|=)?(.+)$/;
const DURATION_FORM = "Write a duration as >500ms, <2s or 100ms..1s";
const STATUS_FORM = "Write a status code as 404, 5xx, >=500 or 400..499";

/** Reads `>500ms`, `<=2s`, `100ms..1s`, without a unit in milliseconds. Nothing takes exactly so long. */
export function readDurations(text: string): Compared {
  return readRange(text, durationOf, DURATION_FORM) ?? readPart(text, durationOf) ?? DURATION_FORM;
}

/** Reads `404`, `5xx`, `>=500`, `400..499`. */
export function readStatuses(text: string): Compared {
  const [, hundred] = /^([1-5])xx$/i.exec(text) ?? [];
  if (hundred !== undefined) {
    return [[">=", Number(hundred) * 100], ["<", Number(hundred) * 100 + 100]];
  }
  return readRange(text, statusOf, STATUS_FORM) ??
    readPart(/^\d/.test(text) ? `=${text}` : text, statusOf) ?? STATUS_FORM;
}

type ReadNumber = (text: string) => number | null;

function readRange(text: string, read: ReadNumber, form: string): Compared | null {
  const ends = text.split("..");
  if (ends.length === 1) return null;
  const [low, high] = ends.map(read);
  if (ends.length > 2 || typeof low !== "number" || typeof high !== "number") return form;
  return low > high ? "The range begins above its end" : [[">=", low], ["<=", high]];
}

function readPart(text: string, read: ReadNumber): Compared | null {
  const [, operator, rest = ""] = PART.exec(text) ?? [];
  const value = read(rest);
  return operator === undefined || value === null ? null : [[operator as Comparison[0], value]];
}

function durationOf(text: string): number | null {
  const [, digits, unit = "ms"] = /^(\d{1,12}(?:\.\d{1,9})?)([a-zµ]+)?$/i.exec(text) ?? [];
  const factor = Object.hasOwn(UNIT_MS, unit.toLowerCase()) ? UNIT_MS[unit.toLowerCase()] : null;
  return digits === undefined || !factor ? null : Number(digits) * factor;
}

function statusOf(text: string): number | null {
  return /^\d{1,3}$/.test(text) ? Number(text) : null;
}
