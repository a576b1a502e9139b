import type { NormalizedEvent } from "../intake/sentry/normalized_event.ts";
import { culpritOf, metadataOf } from "../intake/sentry/title.ts";
import type { EventRow, StoredEvent } from "../telemetry/events.ts";
import { entriesOf } from "./api_event_entries.ts";
import { releaseJson } from "./api_issue.ts";

/** The events just after and before one, of the same issue. */
export interface Neighbours {
  readonly newer: string | null;
  readonly older: string | null;
}

/** An event as Sentry's API lists it. */
export function eventRowJson(event: EventRow, projectId: string) {
  return {
    ...identityJson(event, projectId),
    "event.type": "error",
    user: event.userKey === null ? null : userOfKey(event.userKey),
  };
}

/** An event with everything in it. */
export function eventJson(stored: StoredEvent, projectId: string, { newer, older }: Neighbours) {
  // Written by `toErrorEvent()`, so it needs no check.
  const event: NormalizedEvent = JSON.parse(stored.payload);
  return {
    ...identityJson(stored, projectId),
    type: event.type,
    size: stored.payload.length,
    message: event.logentry?.formatted ?? event.logentry?.message ?? "",
    culprit: culpritOf(event),
    metadata: metadataOf(event),
    dateReceived: stored.receivedAt,
    release: releaseJson(stored.release),
    dist: event.dist ?? null,
    user: event.user ?? null,
    sdk: event.sdk ?? null,
    contexts: event.contexts ?? {},
    context: event.extra ?? {},
    packages: event.modules ?? {},
    fingerprints: event.fingerprint ?? [],
    entries: entriesOf(event),
    errors: event.errors ?? [],
    occurrence: null,
    userReport: null,
    nextEventID: newer,
    previousEventID: older,
  };
}

function identityJson(event: EventRow, projectId: string) {
  return {
    id: event.eventId,
    eventID: event.eventId,
    groupID: event.issueId,
    projectID: projectId,
    title: event.title,
    message: "",
    location: null,
    culprit: event.transaction,
    platform: event.platform,
    dateCreated: event.timestamp,
    crashFile: null,
    tags: Object.entries(event.tags).map(([key, value]) => ({ key, value })),
  };
}

/** `email:a@b.c` as `{ email: "a@b.c" }`; the address is called `ip_address` in events. */
function userOfKey(userKey: string): Record<string, string> {
  const colon = userKey.indexOf(":");
  const kind = userKey.slice(0, colon);
  return { [kind === "ip" ? "ip_address" : kind]: userKey.slice(colon + 1) };
}
