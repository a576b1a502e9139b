import { packText } from "../../store/packed_text.ts";
import type { ErrorEvent } from "../../records/mod.ts";

/** An event on its way into Postgres: times as text, names cut to what an index row can hold. */
export interface EventRow {
  readonly projectId: string;
  readonly event: ErrorEvent;
  /** Identifies the event across projects. */
  readonly key: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly receivedAt: string;
  readonly hour: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly environment: string;
  readonly release: string;
  readonly user: string | null;
  readonly tagsJson: string;
  /** From `packText()`. */
  readonly packedPayload: string;
  /** About what the row costs in memory and on the wire. */
  readonly bytes: number;
}

/** Cannot occur in JSON text, which escapes control characters: joins many texts into one parameter. */
export const SEPARATOR = "\x1e";

const MAX_NAME_LENGTH = 200;
const ROW_OVERHEAD_BYTES = 1_000;

/**
 * Prepares an event for the writer.
 *
 * @throws {RangeError} when a time is invalid
 */
export function toEventRow(projectId: string, event: ErrorEvent): EventRow {
  const timestamp = event.timestamp.toISOString();
  const packedPayload = packText(event.payload);
  return {
    projectId,
    event,
    key: `${projectId}/${event.eventId}`,
    timestamp,
    receivedAt: event.receivedAt.toISOString(),
    hour: `${timestamp.slice(0, 13)}:00:00.000Z`,
    day: timestamp.slice(0, 10),
    environment: event.environment.slice(0, MAX_NAME_LENGTH),
    release: event.release.slice(0, MAX_NAME_LENGTH),
    user: event.user === null ? null : event.user.slice(0, MAX_NAME_LENGTH),
    tagsJson: JSON.stringify(Object.fromEntries(event.tags)),
    packedPayload,
    bytes: packedPayload.length + ROW_OVERHEAD_BYTES,
  };
}
