import type { ErrorType } from "../../records/mod.ts";
import { isMessage } from "./event_kind.ts";
import { asBag, asObject, clippedName, type Raw, repairFields, repairTexts } from "../fields.ts";
import { newEventId, readEventId } from "../ids.ts";
import { TEXT } from "../limits.ts";
import { normalizeBreadcrumbs } from "./breadcrumbs.ts";
import { type Clock, eventTime } from "../clock.ts";
import { normalizeContexts } from "./contexts.ts";
import { normalizeExceptions } from "./exceptions.ts";
import { readLevel } from "./level.ts";
import { normalizeMessage } from "./message.ts";
import { normalizeRequest } from "./request.ts";
import { normalizeFrame, normalizeStacktrace } from "./stacktrace.ts";
import {
  normalizeDebugMeta,
  normalizeErrors,
  normalizeFingerprint,
  normalizeModules,
  normalizeSdk,
} from "./surroundings.ts";
import { normalizeTags } from "./tags.ts";
import { normalizeThreads } from "./threads.ts";
import { normalizeUser } from "./user.ts";
import type { Exception, NormalizedEvent, Pair, Stacktrace, Values } from "./normalized_event.ts";
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
const NAMES = [
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
  for (const [key, limit] of NAMES) {
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
