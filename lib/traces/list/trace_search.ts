import { type Message, t } from "../../core/language/translate.ts";
import { parseSearch, type ReadValue, type SearchProblem } from "../../ui/search_grammar.ts";
import type { Comparison, TextColumn, TraceTerm } from "./trace_terms.ts";

export interface TraceSearch {
  readonly words: readonly string[];
  readonly terms: readonly (TraceTerm & { readonly isNegated: boolean })[];
  readonly problems: readonly SearchProblem[];
  /** The one trace that is asked for, 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
}

type Meaning =
  | { readonly term: TraceTerm; readonly isNegated?: boolean }
  | { readonly traceId: string };
type Reader = ReadValue<Meaning>;
type Understood = ReturnType<Reader>;

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

/** Understands the search of the list of traces; see `parseSearch()`. */
export function parseTraceSearch(query: string): TraceSearch {
  const { words, found, problems } = parseSearch<Meaning>(query, {
    keys: KEYS,
    otherKey: (key, value) => ({ term: { kind: "tag", key: currentName(key), value } }),
    word: traceNamed,
  });
  const terms: (TraceTerm & { isNegated: boolean })[] = [];
  let traceId: string | null = null;
  for (const { token, meaning } of found) {
    if ("term" in meaning) {
      const isNegated = token.negated !== (meaning.isNegated ?? false);
      terms.push({ ...meaning.term, isNegated });
    } else traceId ??= meaning.traceId;
  }
  return { words, terms, problems, traceId };
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

function readTrace(value: string, { isNegated }: Parameters<Reader>[1]): Understood {
  const named = traceNamed(value);
  if (named === null) return { reason: t("A trace id has 32 hexadecimal digits") };
  return isNegated ? { reason: t("One trace cannot be left out") } : named;
}

function traceNamed(value: string): { readonly traceId: string } | null {
  const traceId = value.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(traceId) ? { traceId } : null;
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
const DURATION_FORM: Message = "Write a duration as >500ms, <2s or 100ms..1s";
const STATUS_FORM: Message = "Write a status code as 404, 5xx, >=500 or 400..499";

/** Reads `>500ms`, `<=2s`, `100ms..1s`, without a unit in milliseconds. Nothing takes exactly so long. */
export function readDurations(text: string): Compared {
  return readRange(text, durationOf, DURATION_FORM) ?? readPart(text, durationOf) ??
    t(DURATION_FORM);
}

/** Reads `404`, `5xx`, `>=500`, `400..499`. */
export function readStatuses(text: string): Compared {
  const [, hundred] = /^([1-5])xx$/i.exec(text) ?? [];
  if (hundred !== undefined) {
    return [[">=", Number(hundred) * 100], ["<", Number(hundred) * 100 + 100]];
  }
  return readRange(text, statusOf, STATUS_FORM) ??
    readPart(/^\d/.test(text) ? `=${text}` : text, statusOf) ?? t(STATUS_FORM);
}

type ReadNumber = (text: string) => number | null;

function readRange(text: string, read: ReadNumber, form: Message): Compared | null {
  const ends = text.split("..");
  if (ends.length === 1) return null;
  const [low, high] = ends.map(read);
  if (ends.length > 2 || typeof low !== "number" || typeof high !== "number") return t(form);
  return low > high ? t("The range begins above its end") : [[">=", low], ["<=", high]];
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
