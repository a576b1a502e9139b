import type { ErrorEvent, Outcome } from "../../records/mod.ts";
import { searchFacts } from "./event_facts.ts";
import { searchTags } from "./event_tags.ts";
import { groupEvent } from "./group_event.ts";
import { type EventContext, type InvalidReason, normalizeEvent } from "./normalize.ts";
import { userKey } from "./user.ts";
import type { NormalizedEvent } from "./normalized_event.ts";
import { culpritOf, metadataOf, titleOf } from "./title.ts";

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
}

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
  const tags = searchTags(event);
  const fingerprint = context.fingerprint?.(event) ?? null;
  if (fingerprint !== null) {
    event.fingerprint = [...fingerprint];
    delete event.checksum;
  }
  return {
    kind: "error",
    eventId: event.event_id,
    timestamp: new Date(event.timestamp * 1000),
    receivedAt: context.receivedAt,
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
    sdk: [event.sdk?.name, event.sdk?.version].filter((part) => part).join("/"),
    grouping: groupEvent(event),
    payload: JSON.stringify(event),
  };
}

/** Another kind of record in an event's clothes is not stored as an error; anything else is no event at all. */
function droppedBecause(reason: InvalidReason): Outcome {
  return reason === "not_an_object"
    ? { category: "error", kind: "invalid", reason, quantity: 1 }
    : { category: reason, kind: "unsupported", reason: "not_an_error", quantity: 1 };
}
