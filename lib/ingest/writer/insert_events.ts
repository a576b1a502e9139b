import type { Transaction } from "../../store/database.ts";
import { type EventRow, SEPARATOR } from "./event_row.ts";

/** An event and the issue it belongs to. */
export interface FiledEvent {
  readonly row: EventRow;
  readonly issueId: string;
}

/**
 * Takes the events' ids, and tells which of them were free: the others are repeats, stored before or being
 * stored by another writer, for whose transaction this waits.
 *
 * @param events distinct by `row.key`
 */
export async function takeEventIds(
  tx: Transaction,
  events: readonly FiledEvent[],
): Promise<FiledEvent[]> {
  const taken = await tx<{ projectId: string; eventId: string }[]>`
    insert into event_ids (project_id, event_id, issue_id, "timestamp")
    select project_id, event_id, issue_id, "timestamp"
    from unnest(
      ${events.map(({ row }) => row.projectId)}::bigint[],
      ${events.map(({ row }) => row.event.eventId)}::uuid[],
      ${events.map(({ issueId }) => issueId)}::bigint[],
      ${events.map(({ row }) => row.timestamp)}::text[]::timestamptz[]
    ) as incoming (project_id, event_id, issue_id, "timestamp")
    order by project_id, event_id
    on conflict (project_id, event_id) do nothing
    returning project_id as "projectId", replace(event_id::text, '-', '') as "eventId"
  `;
  if (taken.length === events.length) return [...events];
  const free = new Set(taken.map(({ projectId, eventId }) => `${projectId}/${eventId}`));
  return events.filter(({ row }) => free.has(row.key));
}

/**
 * Writes the events themselves. Tags go over the wire joined into one text: as elements of an array literal,
 * every quote in them would be escaped, which costs four times the processor time.
 */
export async function insertEvents(tx: Transaction, events: readonly FiledEvent[]): Promise<void> {
  const rows = events.map(({ row }) => row);
  await tx`
    insert into events (
      project_id, issue_id, "timestamp", event_id, received_at, level, platform, environment, release,
      transaction, title, user_key, trace_id, span_id, tags, payload
    )
    select
      project_id, issue_id, "timestamp", event_id, received_at, level, platform, environment, release,
      transaction, title, user_key, trace_id, span_id, tags, decode(payload, 'hex')
    from unnest(
      ${rows.map(({ projectId }) => projectId)}::bigint[],
      ${events.map(({ issueId }) => issueId)}::bigint[],
      ${rows.map(({ timestamp }) => timestamp)}::text[]::timestamptz[],
      ${rows.map(({ event }) => event.eventId)}::uuid[],
      ${rows.map(({ receivedAt }) => receivedAt)}::text[]::timestamptz[],
      ${rows.map(({ event }) => event.level)}::text[],
      ${rows.map(({ event }) => event.platform)}::text[],
      ${rows.map(({ environment }) => environment)}::text[],
      ${rows.map(({ release }) => release)}::text[],
      ${rows.map(({ event }) => event.transaction)}::text[],
      ${rows.map(({ event }) => event.title)}::text[],
      ${rows.map(({ user }) => user)}::text[],
      ${rows.map(({ event }) => event.traceId)}::uuid[],
      ${rows.map(({ event }) => event.spanId)}::text[],
      string_to_array(${
    rows.map(({ tagsJson }) => tagsJson).join(SEPARATOR)
  }, ${SEPARATOR})::jsonb[],
      string_to_array(${rows.map(({ packedPayload }) => packedPayload).join(",")}, ',')
    ) as incoming (
      project_id, issue_id, "timestamp", event_id, received_at, level, platform, environment, release,
      transaction, title, user_key, trace_id, span_id, tags, payload
    )
  `;
}
