import { groupEvent } from "../formats/sentry/group_event.ts";
import type { NormalizedEvent, User } from "../formats/sentry/normalized_event.ts";
import { culpritOf, metadataOf } from "../formats/sentry/title.ts";
import type { EventRow, StoredEvent } from "./events.ts";
import { entriesOf } from "./api_event_entries.ts";
import { metadataJson, releaseJson } from "./api_issue.ts";

/** The events just after and before one, of the same issue. */
export interface Neighbours {
  readonly newer: string | null;
  readonly older: string | null;
}

const NO_NEIGHBOURS: Neighbours = { newer: null, older: null };

/** What Relay would say of values that it changed: nothing here is marked so. */
const NO_META = {
  entries: {},
  message: null,
  user: null,
  contexts: null,
  sdk: null,
  context: null,
  packages: null,
  tags: {},
};

/** An event as Sentry's API lists it. */
export function eventRowJson(event: EventRow, projectId: string) {
  return {
    ...identityJson(event, projectId),
    "event.type": "error",
    message: event.title,
    location: null,
    culprit: event.transaction,
    user: event.userKey === null ? null : userJson(userOfKey(event.userKey)),
  };
}

/** An event with everything in it. */
export function eventJson(
  stored: StoredEvent,
  projectId: string,
  { newer, older }: Neighbours = NO_NEIGHBOURS,
) {
  // Written by `toErrorEvent()`, so it needs no check.
  const event: NormalizedEvent = JSON.parse(stored.payload);
  const { version, hashes } = groupEvent(event);
  const metadata = metadataOf(event);
  return {
    ...identityJson(stored, projectId),
    type: event.type,
    size: stored.payload.length,
    message: event.logentry?.formatted ?? event.logentry?.message ?? "",
    location: metadata.filename ?? null,
    culprit: culpritOf(event),
    metadata: metadataJson({ type: event.type, title: stored.title, metadata }),
    dateReceived: stored.receivedAt,
    release: releaseJson(stored.release),
    dist: event.dist ?? null,
    user: event.user === undefined ? null : userJson(event.user),
    sdk: event.sdk ?? null,
    sdkUpdates: [],
    contexts: event.contexts ?? {},
    context: event.extra ?? {},
    packages: event.modules ?? {},
    fingerprints: hashes,
    groupingConfig: { id: `watchpost:${version}`, enhancements: "" },
    entries: entriesOf(event),
    errors: event.errors ?? [],
    occurrence: null,
    userReport: null,
    nextEventID: newer,
    previousEventID: older,
    _meta: NO_META,
  };
}

function identityJson(event: EventRow, projectId: string) {
  return {
    id: event.eventId,
    eventID: event.eventId,
    groupID: event.issueId,
    projectID: projectId,
    title: event.title,
    platform: event.platform,
    dateCreated: event.timestamp,
    crashFile: null,
    tags: event.tags.map(([key, value]) => ({ key, value })),
  };
}

/** Sentry's clients expect every name of a user, known or not. */
function userJson(user: User) {
  return { id: null, email: null, username: null, ip_address: null, name: null, ...user };
}

/** `email:a@b.c` as `{ email: "a@b.c" }`; the address is called `ip_address` in events. */
function userOfKey(userKey: string): User {
  const colon = userKey.indexOf(":");
  const kind = userKey.slice(0, colon);
  return { [kind === "ip" ? "ip_address" : kind]: userKey.slice(colon + 1) };
}
