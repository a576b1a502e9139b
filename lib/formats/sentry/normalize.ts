import { type ErrorType, type Level, LEVELS } from "../../records/mod.ts";
import { type Clock, eventTime, readTime } from "../event_time.ts";
import {
  asBag,
  asObject,
  clip,
  clippedName,
  clippedText,
  type Raw,
  readTextOrJson,
  readValues,
  repairFields,
  repairTexts,
} from "../fields.ts";
import { newEventId, readEventId } from "../ids.ts";
import type { Json, JsonObject } from "../json.ts";
import { COUNT, TEXT } from "../limits.ts";
import {
  type Breadcrumb,
  type Exception,
  isMessage,
  type LogEntry,
  type NormalizedEvent,
  type Pair,
  type Stacktrace,
  type Values,
} from "./normalized_event.ts";
import {
  normalizeExceptions,
  normalizeFrame,
  normalizeStacktrace,
  normalizeThreads,
} from "./stacktraces.ts";
import {
  normalizeContexts,
  normalizeDebugMeta,
  normalizeErrors,
  normalizeFingerprint,
  normalizeModules,
  normalizeRequest,
  normalizeSdk,
  normalizeUser,
  readPairs,
} from "./surroundings.ts";
import { trimLargeEvent } from "./trim_large.ts";

/** What is known about an event besides its own text. */
export interface EventContext extends Clock {
  /** The id in the envelope's header, which wins over the event's own. */
  readonly eventId?: string | null;
  /** The address that the request came from, for events that ask for it. */
  readonly clientAddress?: string | null;
  /** Bytes of the event as JSON; small ones are spared the search for oversized parts. */
  readonly rawBytes?: number;
}

/** Why something sent as an event is none; a machine word. */
export type InvalidReason = "not_an_object" | "transaction" | "feedback";

/**
 * Brings an event of any Sentry SDK into the one shape that is stored, see `NormalizedEvent`. Nothing but a
 * value that is no object, or says that it is another kind of record, is refused.
 *
 * @param raw a value from `parseJson()`, which is taken over and changed in place
 */
export function normalizeEvent(
  raw: unknown,
  context: EventContext,
): { readonly event: NormalizedEvent } | { readonly invalid: InvalidReason } {
  const sent = asObject(raw);
  if (!sent) return { invalid: "not_an_object" };
  if (sent.type === "transaction" || sent.type === "feedback") return { invalid: sent.type };

  takeLegacyNames(sent);
  normalizeHead(sent, context);
  normalizeWhat(sent);
  normalizeWhere(sent, context);
  const event = sent as unknown as NormalizedEvent;
  event.type = typeOf(event);
  trimLargeEvent(event, context.rawBytes);
  return { event };
}

/** Names that interfaces had until 2016 and hand-made clients still use. */
const LEGACY_NAMES = [
  ["sentry.interfaces.Message", "logentry"],
  ["sentry.interfaces.User", "user"],
  ["sentry.interfaces.Http", "request"],
  ["sentry.interfaces.Contexts", "contexts"],
  ["sentry.interfaces.Breadcrumbs", "breadcrumbs"],
  ["sentry.interfaces.Exception", "exception"],
  ["sentry.interfaces.Stacktrace", "stacktrace"],
  ["sentry.interfaces.Template", "template"],
  ["sentry.interfaces.Csp", "csp"],
] as const;

function takeLegacyNames(raw: Raw): void {
  for (const [legacy, name] of LEGACY_NAMES) {
    if (raw[legacy] === undefined) continue;
    raw[name] ??= raw[legacy];
    raw[legacy] = undefined;
  }
}

const PLATFORM = /^[a-z0-9][a-z0-9._-]*$/;
const HEAD_NAMES = [
  ["logger", TEXT.word],
  ["transaction", TEXT.name],
  ["server_name", TEXT.path],
  ["site", TEXT.name],
  ["release", TEXT.name],
  ["dist", TEXT.word],
  ["environment", TEXT.word],
] as const;

/** Left behind by SDKs or meant for Sentry's own services. */
const DROPPED = ["sdkProcessingMetadata", "_metrics", "_metrics_summary", "spans", "measurements"];

/** Identity, time, and the words that lists filter on. */
function normalizeHead(raw: Raw, context: EventContext): void {
  const { timestamp, shift, received } = eventTime(raw.timestamp, context);
  raw.event_id = context.eventId ?? readEventId(raw.event_id) ?? newEventId();
  raw.timestamp = timestamp;
  raw.received = context.receivedAt.getTime() / 1000;
  raw._received = received;
  raw.breadcrumbs = normalizeBreadcrumbs(raw.breadcrumbs, shift);
  raw.level = readLevel(raw.level, "error");
  const platform = clippedName(raw.platform, TEXT.word)?.toLowerCase();
  raw.platform = platform && PLATFORM.test(platform) ? platform : "other";
  for (const [key, limit] of HEAD_NAMES) {
    if (raw[key] !== undefined) raw[key] = clippedName(raw[key], limit);
  }
  takeEnvironment(raw, normalizeTags(raw.tags));
  for (const key of DROPPED) if (raw[key] !== undefined) raw[key] = undefined;
}

/** The environment may come as a tag; `none` means that there is none. */
function takeEnvironment(raw: Raw, tags: Pair[]): void {
  const isEnvironment = ([key]: Pair) => key === "environment";
  raw.environment ??= clippedName(tags.find(isEnvironment)?.[1], TEXT.word);
  if (raw.environment === "none") raw.environment = undefined;
  const others = tags.filter((tag) => !isEnvironment(tag));
  raw.tags = others.length > 0 ? others : undefined;
}

/** What happened: message, exceptions, stacks. */
function normalizeWhat(raw: Raw): void {
  raw.logentry = normalizeMessage(raw.logentry, raw.message);
  raw.message = undefined;
  raw.exception = normalizeExceptions(raw.exception);
  raw.threads = normalizeThreads(raw.threads);
  raw.stacktrace = normalizeStacktrace(raw.stacktrace);
  repairFields(raw, ["template"], (template) => {
    const frame = asObject(template);
    return frame && normalizeFrame(frame);
  });
  giveStackToException(raw as unknown as StackAndException);
  raw.fingerprint = normalizeFingerprint(raw.fingerprint);
  repairTexts(raw, [["checksum", TEXT.name], ["culprit", TEXT.name]]);
  repairFields(raw, ["csp"], asBag);
}

interface StackAndException {
  stacktrace: Stacktrace | undefined;
  exception: Values<Exception> | undefined;
}

/** A stack beside one exception that has none is that exception's. */
function giveStackToException(event: StackAndException): void {
  const [only, ...others] = event.exception?.values ?? [];
  if (!event.stacktrace || !only || others.length > 0 || only.stacktrace) return;
  only.stacktrace = event.stacktrace;
  event.stacktrace = undefined;
}

/** Where it happened, and to whom. */
function normalizeWhere(raw: Raw, context: EventContext): void {
  const request = normalizeRequest(raw.request);
  raw.request = request;
  raw.contexts = normalizeContexts(raw.contexts, request);
  raw.sdk = normalizeSdk(raw.sdk);
  raw.user = normalizeUser(raw.user, {
    clientAddress: context.clientAddress ?? null,
    platform: raw.platform as string,
    inferIp: asObject(asObject(raw.sdk)?.settings)?.infer_ip,
    request,
  });
  raw.modules = normalizeModules(raw.modules);
  repairFields(raw, ["extra", "transaction_info"], asBag);
  repairFields(raw, ["debug_meta"], normalizeDebugMeta);
  repairFields(raw, ["errors"], normalizeErrors);
}

function typeOf(event: NormalizedEvent): ErrorType {
  if (event.exception && !isMessage(event)) return "error";
  return event.csp ? "csp" : "default";
}

/**
 * The message of an event out of `logentry` and `message`, each of which may be a text or an object, or
 * undefined when there is none. A template that came with parameters alone is filled in.
 */
function normalizeMessage(logentry: unknown, message: unknown): LogEntry | undefined {
  const entry = asEntry(logentry) ?? asEntry(message);
  if (!entry) return undefined;
  const template = messageText(entry.message);
  let formatted = messageText(entry.formatted) ??
    (entry === message ? undefined : messageText(message));
  const params = paramsOf(entry.params);
  if (template && !formatted && params) formatted = clip(fillIn(template, params), TEXT.message);
  if (!template && !formatted) return undefined;
  entry.message = template;
  entry.formatted = formatted === template ? undefined : formatted;
  entry.params = params;
  return entry as LogEntry;
}

function asEntry(value: unknown): Raw | undefined {
  const text = clippedText(value, TEXT.message);
  if (text !== undefined) return { message: text };
  const entry = asObject(value);
  return entry && (messageText(entry.message) || messageText(entry.formatted)) ? entry : undefined;
}

function messageText(value: unknown): string | undefined {
  return clip(readTextOrJson(value), TEXT.message) || undefined;
}

function paramsOf(value: unknown): Json[] | JsonObject | undefined {
  if (Array.isArray(value)) return value.length > 0 ? value : undefined;
  if (typeof value === "object" && value !== null) return value as JsonObject;
  return value === undefined || value === null ? undefined : [value as Json];
}

/** `%s` and its kin, `%(name)s`, `{}`, `{0}`, `{name}`; `%%` and `{{` stand for themselves. */
const PLACEHOLDER =
  /%%|%(?:\((\w{1,64})\))?[-+ #0]{0,5}\d{0,5}(?:\.\d{1,5})?[sdifuxXoeEgGrcvqtTO]|\{\{|\{(\w{0,64})(?:![rsa])?\}/g;

/** Puts parameters into a template of printf's or Python's style; a placeholder without parameter stays. */
function fillIn(template: string, params: Json[] | JsonObject): string {
  const texts = new Map<string, string>();
  const textFor = (key: string): string => {
    const text = texts.get(key) ??
      clip(readTextOrJson((params as JsonObject)[key]) ?? "None", TEXT.line);
    texts.set(key, text);
    return text;
  };
  let next = 0;
  return template.replace(PLACEHOLDER, (match, percentName?: string, braceName?: string) => {
    if (match === "%%" || match === "{{") return match.slice(1);
    const key = percentName || braceName || String(next++);
    return Object.hasOwn(params, key) ? textFor(key) : match;
  });
}

const CRUMB_TEXTS = [
  ["category", TEXT.name],
  ["event_id", TEXT.word],
  ["origin", TEXT.name],
] as const;

/**
 * The trail that led to the event, oldest first, or undefined when there is none.
 *
 * @param shift seconds to add to every time
 */
function normalizeBreadcrumbs(
  value: unknown,
  shift: number,
): Values<Breadcrumb> | undefined {
  const values = readValues(value).slice(-COUNT.breadcrumbs)
    .map((raw) => normalizeBreadcrumb(raw, shift));
  return values.length > 0 ? { values } : undefined;
}

function normalizeBreadcrumb(raw: Raw, shift: number): Breadcrumb {
  const time = readTime(raw.timestamp);
  if (time !== undefined) raw.timestamp = time + shift;
  else if (raw.timestamp !== undefined) raw.timestamp = undefined;
  raw.type = clippedText(raw.type, TEXT.word) ?? "default";
  raw.level = readLevel(raw.level, "info");
  repairTexts(raw, CRUMB_TEXTS);
  repairFields(
    raw,
    ["message"],
    (message) => clip(readTextOrJson(message), TEXT.message) || undefined,
  );
  repairFields(raw, ["data"], asBag);
  return raw as unknown as Breadcrumb;
}

/** Names that columns of the event answer for; a client's tag of that name is dropped, as Sentry does. */
const RESERVED_TAGS = new Set([
  "release",
  "dist",
  "user",
  "filename",
  "function",
  "level",
  "transaction",
]);

/**
 * The client's tags: one line each, blanks in keys as `-` so that `key:value` can be searched, the first of
 * each key, and no reserved ones.
 */
function normalizeTags(value: unknown): Pair[] {
  const tags = new Map<string, string>();
  // A value that is cut here is cut again below: the first cut only bounds the work of the second.
  for (const [name, text] of readPairs(value, 2 * TEXT.name)) {
    const key = clip(clippedName(name, TEXT.name)?.replace(/\s+/g, "-"), TEXT.name);
    const line = clippedName(text, TEXT.name);
    if (!key || !line || RESERVED_TAGS.has(key) || tags.has(key)) continue;
    if (tags.size === COUNT.clientTags) break;
    tags.set(key, line);
  }
  return [...tags];
}

const LEVEL_NAMES: ReadonlyMap<string, Level> = new Map([
  ...LEVELS.map((level) => [level, level] as const),
  ["log", "info"],
  ["notice", "info"],
  ["trace", "debug"],
  ["warn", "warning"],
  ["critical", "fatal"],
  ["alert", "fatal"],
  ["emergency", "fatal"],
]);

/** A level out of its names in all SDKs and Python's numbers (10 debug … 50 fatal), else the fallback. */
function readLevel(value: unknown, fallback: Level): Level {
  if (typeof value === "string") {
    const known = LEVEL_NAMES.get(value);
    if (known) return known;
    if (value.length > 16) return fallback;
    return LEVEL_NAMES.get(value.trim().toLowerCase()) ?? levelOfNumber(Number(value)) ?? fallback;
  }
  return typeof value === "number" ? levelOfNumber(value) ?? fallback : fallback;
}

function levelOfNumber(value: number): Level | undefined {
  if (!(value >= 10)) return undefined;
  return LEVELS[Math.min(Math.floor(value / 10), LEVELS.length) - 1];
}
