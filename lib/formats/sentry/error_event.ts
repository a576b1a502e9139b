import { CONTEXT_FACTS, USER_FACTS } from "../../records/error_event.ts";
import type { ErrorEvent, Outcome } from "../../records/mod.ts";
import { asObject, clippedName, readText } from "../fields.ts";
import { TEXT } from "../limits.ts";
import { groupEvent } from "./grouping.ts";
import { eventText } from "./known_stacks.ts";
import { type EventContext, type InvalidReason, normalizeEvent } from "./normalize.ts";
import type { NormalizedEvent, Pair } from "./normalized_event.ts";
import { searchTexts } from "./search_texts.ts";
import { userKey } from "./surroundings.ts";
import { culpritOf, mainException, metadataOf, titleOf } from "./title.ts";

export interface ErrorContext extends EventContext {
  /** Why the project does not want the event, as a machine word; or null. */
  readonly filter?: (event: NormalizedEvent) => string | null;
  /** A fingerprint that goes before the client's; or null. */
  readonly fingerprint?: (event: NormalizedEvent) => readonly string[] | null;
  /**
   * Takes secrets out of the normalised event, in place or into the one returned, before anything is derived
   * from it: title, tags and group are made from what is stored, and so never tell two secrets apart.
   */
  readonly scrub?: (event: NormalizedEvent) => NormalizedEvent | void;
  /** Notes what records were made of. */
  readonly drafts?: EventDrafts;
}

/** What a record was made of: a step that knows more of the event makes it again. */
export interface EventDraft {
  readonly event: NormalizedEvent;
  /** The record of this event with other frames, which is not changed. */
  derive(event: NormalizedEvent): ErrorEvent;
}

/** By record. */
export type EventDrafts = Map<ErrorEvent, EventDraft>;

/**
 * Turns what a client sent as an event into the record that is stored: normalise, filter, scrub, group, write as text.
 *
 * @param raw a value from `parseJson()`, which is taken over and changed in place
 */
export function toErrorEvent(
  raw: unknown,
  context: ErrorContext,
): ErrorEvent | { readonly dropped: Outcome } {
  const result = normalizeEvent(raw, context);
  if ("invalid" in result) return { dropped: droppedBecause(result.invalid) };
  const unwanted = context.filter?.(result.event) ?? null;
  if (unwanted !== null) {
    const category = result.event.type === "csp" ? "security" : "error";
    return { dropped: { category, kind: "filtered", reason: unwanted, quantity: 1 } };
  }
  const event = context.scrub?.(result.event) ?? result.event;
  const derive = (one: NormalizedEvent) => recordOf(withFingerprint(one, context), context);
  const record = derive(event);
  context.drafts?.set(record, { event, derive });
  return record;
}

/** The event with the fingerprint that rules give it; the one given when they give none. */
export function withFingerprint(
  event: NormalizedEvent,
  { fingerprint: ruled }: Pick<ErrorContext, "fingerprint">,
): NormalizedEvent {
  const fingerprint = ruled?.(event) ?? null;
  if (fingerprint === null) return event;
  const { checksum: _, ...rest } = event;
  return { ...rest, fingerprint: [...fingerprint] };
}

/** Title, culprit, tags, group and text of an event that is complete. */
export function recordOf(
  event: NormalizedEvent,
  { receivedAt }: Pick<ErrorContext, "receivedAt">,
): ErrorEvent {
  const tags = searchTags(event);
  return {
    kind: "error",
    eventId: event.event_id,
    timestamp: new Date(event.timestamp * 1000),
    receivedAt,
    type: event.type,
    level: event.level,
    platform: event.platform,
    environment: event.environment ?? "",
    release: event.release ?? "",
    dist: event.dist ?? "",
    transaction: event.transaction ?? "",
    title: titleOf(event),
    culprit: culpritOf(event),
    metadata: metadataOf(event),
    user: userKey(event.user),
    traceId: event.contexts?.trace?.trace_id ?? null,
    spanId: event.contexts?.trace?.span_id ?? null,
    tags,
    facts: searchFacts(event, tags),
    texts: searchTexts(event),
    sdk: [event.sdk?.name, event.sdk?.version].filter((part) => part).join("/"),
    grouping: groupEvent(event),
    payload: eventText(event),
  };
}

/** Another kind of record in an event's clothes is not stored as an error; anything else is no event at all. */
function droppedBecause(reason: InvalidReason): Outcome {
  return reason === "not_an_object"
    ? { category: "error", kind: "invalid", reason, quantity: 1 }
    : { category: reason, kind: "unsupported", reason: "not_an_error", quantity: 1 };
}

/**
 * What an event is found by beside its tags: the rest of its user, all its exceptions, and what its contexts say. Tags
 * that say the same are not repeated.
 */
export function searchFacts(event: NormalizedEvent, tags: readonly Pair[]): Pair[] {
  const facts: Pair[] = [];
  const add = (key: string, sent: unknown) => {
    const text = readText(sent);
    const value = text === undefined ? undefined : clippedName(text, TEXT.name);
    const isSame = ([otherKey, other]: Pair) => otherKey === key && other === value;
    if (value && !tags.some(isSame) && !facts.some(isSame)) facts.push([key, value]);
  };
  const { user, contexts } = event;
  if (user !== undefined) {
    const identity = userKey(user);
    for (const [kind, field] of USER_FIELDS) {
      const value = readText(user[field]);
      // The first one identifies the user, and issues know it already.
      if (value !== undefined && `${kind}:${value}` !== identity) add(`user.${kind}`, value);
    }
    add("user.name", user.name);
  }
  for (const { type, value } of event.exception?.values ?? []) {
    add("error.type", type);
    add("error.value", value);
  }
  add("http.method", event.request?.method);
  if (contexts !== undefined) {
    for (const [key, context, field] of CONTEXT_FIELDS) add(key, contexts[context]?.[field]);
  }
  return facts;
}

const USER_FIELDS = Object.entries(USER_FACTS);
const CONTEXT_FIELDS = Object.entries(CONTEXT_FACTS).flatMap(([context, fields]) =>
  fields.map((field) => [`${context}.${field}`, context, field] as const)
);

type Reader = (event: NormalizedEvent) => string | undefined;

const PLAIN_FIELDS = [
  ...["level", "environment", "release", "dist", "transaction"] as const,
  ...["server_name", "site", "logger"] as const,
];

/** Tags that come from other fields, so that one search finds both: the names are those that Sentry uses. */
const DERIVED: readonly (readonly [key: string, read: Reader])[] = [
  ...PLAIN_FIELDS.map((key): [string, Reader] => [key, (event) => event[key]]),
  ["user", (event) => userKey(event.user) ?? undefined],
  ["url", (event) => event.request?.url],
  ["handled", handled],
  ["mechanism", (event) => mainException(event)?.mechanism?.type],
  ...["browser", "os", "client_os", "runtime"].flatMap((context): [string, Reader][] => [
    [context, (event) => nameAndVersion(event, context)],
    [`${context}.name`, (event) => contextField(event, context, "name")],
  ]),
  ["device", (event) => contextField(event, "device", "model")],
  ["user.geo.country_code", (event) => readText(asObject(event.user?.geo)?.country_code)],
];

/**
 * Everything an event can be searched by: the client's tags, then the derived ones. Where both have a name, the
 * client's word holds.
 */
export function searchTags(event: NormalizedEvent): Pair[] {
  const tags = [...event.tags ?? []];
  const names = new Set(tags.map(([key]) => key));
  for (const [key, read] of DERIVED) {
    if (names.has(key)) continue;
    const value = clippedName(read(event), TEXT.name);
    if (value) tags.push([key, value]);
  }
  return tags;
}

/** `no` when anything that happened was not caught by the application. */
function handled(event: NormalizedEvent): string | undefined {
  const main = mainException(event);
  if (!main) return undefined;
  if (event.exception?.values.some(({ mechanism }) => mechanism?.handled === false)) return "no";
  return main.mechanism?.handled === true ? "yes" : undefined;
}

function contextField(event: NormalizedEvent, name: string, field: string): string | undefined {
  return readText(event.contexts?.[name]?.[field]);
}

function nameAndVersion(event: NormalizedEvent, context: string): string | undefined {
  const name = contextField(event, context, "name");
  const version = contextField(event, context, "version");
  return name && version ? `${name} ${version}` : name;
}
