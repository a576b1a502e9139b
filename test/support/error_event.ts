import type { ErrorEvent } from "../../lib/records/mod.ts";

/** A new event id: 32 lower-case hex digits. */
export function newEventId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** The hash of a group that a test names, the same for the same name. */
export function hashOf(name: string): string {
  const digits = [...name].map((c) => (c.codePointAt(0) ?? 0).toString(16)).join("");
  return digits.padStart(32, "0").slice(-32);
}

/** A valid event with as little as possible in it; `group` is short for a grouping with one hash. */
export function errorEvent(
  { group = "group", ...fields }: Partial<ErrorEvent> & { group?: string } = {},
): ErrorEvent {
  const now = new Date();
  const eventId = fields.eventId ?? newEventId();
  return {
    kind: "error",
    eventId,
    timestamp: now,
    receivedAt: now,
    type: "error",
    level: "error",
    platform: "node",
    environment: "production",
    release: "shop@1.0",
    dist: "",
    transaction: "",
    title: `Error: ${group}`,
    culprit: "",
    metadata: { type: "Error", value: group },
    user: null,
    traceId: null,
    spanId: null,
    tags: [],
    facts: [],
    texts: [],
    sdk: "",
    grouping: { version: 1, hashes: [hashOf(group)] },
    payload: JSON.stringify({ event_id: eventId }),
    ...fields,
  };
}
