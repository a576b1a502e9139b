import { storable } from "../../core/storable.ts";
import { type SearchToken, searchTokens } from "../../ui/search_tokens.ts";
import type { TextColumn, TraceTerm } from "./trace_terms.ts";
import { type Compared, readDurations, readStatuses } from "./comparisons.ts";

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
