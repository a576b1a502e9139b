/**
 * Takes payloads out of their chunks, or puts others in their place, within the transaction that does the same to their
 * events: nothing of what was there is left. Locked are chunks after events, in one order.
 */
import type { Transaction } from "../database.ts";
import { packChunk, unpackChunk } from "./codec.ts";
import { plainId } from "./read.ts";

/** An event whose payload is deleted or replaced. */
export interface PackedEvent {
  readonly eventId: string;
  /** Null: its payload is in no chunk, and nothing is done. */
  readonly chunkId: string | null;
  readonly chunkDay: Date;
}

/**
 * How many of the chunks that stand for an id are looked into, round by round; null: all. The nearest one nearly always
 * has the payload; whoever is joining chunks at this very moment has it in another one afterwards.
 */
const ROUNDS = [1, 1, null, null] as const;

/** Deletes payloads; a chunk goes with its last one. Those that are gone are passed over. */
export async function deletePayloads(
  tx: Transaction,
  projectId: string,
  events: readonly PackedEvent[],
): Promise<void> {
  await rewrite(tx, projectId, events, null);
}

/** Puts another payload in the place of one. @returns whether there was one */
export async function replacePayload(
  tx: Transaction,
  projectId: string,
  event: PackedEvent,
  payload: string,
): Promise<boolean> {
  return await rewrite(tx, projectId, [event], new TextEncoder().encode(payload)) === 1;
}

/** @returns how many there were */
async function rewrite(
  tx: Transaction,
  projectId: string,
  events: readonly PackedEvent[],
  payload: Uint8Array | null,
): Promise<number> {
  const packed = events.filter(({ chunkId }) => chunkId !== null);
  const left = new Map(packed.map((event) => [plainId(event.eventId), event]));
  const count = left.size;
  for (const most of ROUNDS) {
    if (left.size === 0) break;
    for (const chunk of await lockChunks(tx, projectId, [...left.values()], most)) {
      await rewriteChunk(tx, projectId, chunk, left, payload);
    }
  }
  return count - left.size;
}

interface LockedChunk {
  readonly day: Date;
  readonly id: string;
  readonly body: Uint8Array;
}

/** Chunks that may have them: a lock waits for whoever joins them, and finds nothing then. */
async function lockChunks(
  tx: Transaction,
  projectId: string,
  events: readonly PackedEvent[],
  most: 1 | null,
): Promise<LockedChunk[]> {
  return await tx<LockedChunk[]>`
    select event_chunks."timestamp" as day, event_chunks.chunk_id as id, body
    from event_chunks
    where project_id = ${projectId} and ("timestamp", chunk_id) in (
      select wanted.day, standing.chunk_id
      from unnest(
        ${events.map(({ chunkDay }) => chunkDay.toISOString())}::text[]::timestamptz[],
        ${events.map(({ chunkId }) => chunkId)}::bigint[]
      ) as wanted (day, id)
      cross join lateral (
        select chunk_id from event_chunks as standing
        where project_id = ${projectId} and "timestamp" = wanted.day
          and chunk_id <= wanted.id and last_id >= wanted.id
        order by chunk_id desc limit ${most}
      ) as standing
    )
    order by "timestamp", chunk_id
    for update of event_chunks
  `;
}

/** @param left events that are looked for: those that are found are taken out */
async function rewriteChunk(
  tx: Transaction,
  projectId: string,
  { day, id, body }: LockedChunk,
  left: Map<string, PackedEvent>,
  payload: Uint8Array | null,
): Promise<void> {
  const entries = unpackChunk(body);
  const kept = entries.flatMap((entry) => {
    if (!left.delete(entry.eventId)) return [entry];
    return payload === null ? [] : [{ ...entry, payload }];
  });
  if (kept.length === entries.length && payload === null) return;
  if (kept.length === 0) {
    await tx`
      delete from event_chunks
      where project_id = ${projectId} and "timestamp" = ${day} and chunk_id = ${id}
    `;
    return;
  }
  const changed = packChunk(kept).toHex();
  await tx`
    update event_chunks set body = decode(${changed}, 'hex')
    where project_id = ${projectId} and "timestamp" = ${day} and chunk_id = ${id}
  `;
}
