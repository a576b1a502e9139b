/**
 * Joins small chunks with their neighbours: of a quiet project each event commits by itself, and payloads that lie alone
 * take several times as much. Events need no change: a joined chunk stands for all ids of what is in it.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { Turns } from "../../core/waiting.ts";
import type { Sql, Transaction } from "../database.ts";
import {
  type ChunkEntry,
  firstChunkIdOf,
  isSmallChunk,
  MAX_JOINED_BYTES,
  MAX_PAYLOADS,
  packChunk,
  unpackChunk,
} from "./codec.ts";

/** Writers that made an id then have ended: a chunk that comes later among those joined is found all the same. */
const SETTLED_MS = MINUTE_MS;
/** More than one chunk can hold: so many are read at a time. */
const CHUNKS_A_BATCH = MAX_PAYLOADS + 1;
/** Fewer wait for more, as long as their day lasts: each joining writes anew what is in the chunk already. */
const WORTHWHILE = 8;
/** Nearly all events of a day have come by then. */
const LATE_MS = HOUR_MS;
/** From the start of a day until the next look joins all of it that is left. */
export const JOINED_AFTER_MS = DAY_MS + LATE_MS;

interface Stretch {
  readonly projectId: string;
  readonly day: Date;
}

interface SmallChunk {
  readonly id: string;
  readonly lastId: string;
  readonly body: Uint8Array;
}

/**
 * Joins what waits, project by project and day by day, each chunk in a transaction of its own.
 *
 * @param stopping ends the work between two chunks; the next call does the rest
 * @returns how many chunks are no longer there
 */
export async function joinChunks(
  sql: Sql,
  stopping: AbortSignal,
  now: Date = new Date(),
): Promise<number> {
  const before = firstChunkIdOf(now.getTime() - SETTLED_MS);
  const turns = new Turns();
  let joined = 0;
  for (const stretch of await waitingStretches(sql, before, now)) {
    let after: string | null = "0";
    while (after !== null && !stopping.aborted) {
      const from: string = after;
      const step = await sql.begin((tx) => joinNext(tx, stretch, { from, before, now }));
      joined += step.joined;
      after = step.next;
      await turns.breathe();
    }
  }
  return joined;
}

async function waitingStretches(sql: Sql, before: string, now: Date): Promise<Stretch[]> {
  return await sql<Stretch[]>`
    select project_id as "projectId", "timestamp" as day from event_chunks
    where is_small and chunk_id < ${before}
    group by "timestamp", project_id
    having count(*) >= ${WORTHWHILE} or "timestamp" < ${new Date(now.getTime() - JOINED_AFTER_MS)}
    order by "timestamp", project_id
  `;
}

interface Range {
  /** Chunks after this one. */
  readonly from: string;
  readonly before: string;
  readonly now: Date;
}

/** @returns where to go on; null: nothing is left to do */
async function joinNext(
  tx: Transaction,
  stretch: Stretch,
  { from, before, now }: Range,
): Promise<{ joined: number; next: string | null }> {
  const { projectId, day } = stretch;
  const chunks = await tx<SmallChunk[]>`
    select chunk_id as id, last_id as "lastId", body from event_chunks
    where project_id = ${projectId} and "timestamp" = ${day} and is_small
      and chunk_id > ${from} and chunk_id < ${before}
    order by chunk_id limit ${CHUNKS_A_BATCH}
    for update
  `;
  const { taken, entries, isFull } = fill(chunks);
  const [first] = taken;
  if (first === undefined) return { joined: 0, next: null };
  const isOver = now.getTime() - day.getTime() > JOINED_AFTER_MS;
  if (!isFull && !isOver && taken.length < WORTHWHILE) return { joined: 0, next: null };
  const lastId = taken.reduce(
    (last, chunk) => BigInt(chunk.lastId) > last ? BigInt(chunk.lastId) : last,
    0n,
  );
  const isSmall = !isFull && !isOver;
  if (taken.length === 1) {
    await tx`
      update event_chunks set is_small = ${isSmall}
      where project_id = ${projectId} and "timestamp" = ${day} and chunk_id = ${first.id}
    `;
    return { joined: 0, next: first.id };
  }
  const body = packChunk(entries).toHex();
  await tx`
    delete from event_chunks
    where project_id = ${projectId} and "timestamp" = ${day}
      and chunk_id = any (${taken.slice(1).map(({ id }) => id)}::bigint[])
  `;
  await tx`
    update event_chunks set body = decode(${body}, 'hex'), last_id = ${lastId.toString()}, is_small = ${isSmall}
    where project_id = ${projectId} and "timestamp" = ${day} and chunk_id = ${first.id}
  `;
  return { joined: taken.length - 1, next: taken.at(-1)?.id ?? null };
}

interface Filled {
  readonly taken: readonly SmallChunk[];
  readonly entries: readonly ChunkEntry[];
  /** Whether the next one did not fit, or need not come. */
  readonly isFull: boolean;
}

/** As many of the first ones as fit into one. */
function fill(chunks: readonly SmallChunk[]): Filled {
  const taken: SmallChunk[] = [];
  const entries: ChunkEntry[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    const found = unpackChunk(chunk.body);
    const size = found.reduce((sum, { payload }) => sum + payload.length, 0);
    const fits = entries.length + found.length <= MAX_PAYLOADS && bytes + size <= MAX_JOINED_BYTES;
    if (taken.length > 0 && !fits) return { taken, entries, isFull: true };
    taken.push(chunk);
    entries.push(...found);
    bytes += size;
  }
  return { taken, entries, isFull: !isSmallChunk(entries.length, bytes) };
}
