/** Where spans lie: a row of `span_batches` names the chunk that has them, or holds a small one itself. */
import type { Span } from "../../records/mod.ts";
import type { Queryable, Sql, Transaction } from "../database.ts";
import type postgres from "postgres";
import { openChunk, packChunk, unpackSpans } from "./chunk.ts";

/** Of a chunk's id, which is the time that it is stored under (in milliseconds) and chance. */
const CHANCE_BITS = 20n;

/**
 * A new id for a chunk: its time makes the partition found by the id alone.
 *
 * @param timeMs the latest of the times of its batches, in milliseconds since 1970
 * @returns 63 bits as decimal text
 */
export function newChunkId(timeMs: number): string {
  const [chance = 0] = crypto.getRandomValues(new Uint32Array(1));
  return String(
    (BigInt(timeMs) << CHANCE_BITS) | BigInt.asUintN(Number(CHANCE_BITS), BigInt(chance)),
  );
}

function timeOfChunk(chunkId: string): Date {
  return new Date(Number(BigInt(chunkId) >> CHANCE_BITS));
}

/** A row of `span_batches`, as {@linkcode packedColumns} reads it. */
export interface PackedRow {
  readonly ids: Uint8Array;
  /** The chunk itself; empty when `chunkId` names one. */
  readonly bytes: Uint8Array;
  readonly chunkId: string | null;
  /** Null: 0. */
  readonly place: number | null;
}

/** What {@linkcode withSpans} needs of `span_batches`, for a `select`. */
export function packedColumns(sql: Queryable): postgres.Fragment {
  return sql`span_ids as ids, spans as bytes, chunk_id as "chunkId", place`;
}

/**
 * The rows with their spans, by start; none where a row's chunk has just been deleted.
 *
 * @throws {Error} when stored bytes are damaged or of a later version
 */
export async function withSpans<R extends PackedRow>(
  sql: Queryable,
  projectId: string,
  rows: readonly R[],
): Promise<(R & { readonly spans: readonly Span[] })[]> {
  const ids = new Set(rows.flatMap(({ chunkId }) => chunkId ?? []));
  const chunks = await readChunks(sql, projectId, [...ids]);
  const open = new Map(chunks.map(({ chunkId, spans }) => [chunkId, openChunk(spans)]));
  return rows.map((row) => ({ ...row, spans: spansOf(row, open) }));
}

function spansOf(
  { ids, bytes, chunkId, place }: PackedRow,
  open: ReadonlyMap<string, ReturnType<typeof openChunk>>,
): readonly Span[] {
  if (chunkId === null) return unpackSpans({ ids, bytes, place: place ?? 0 });
  return open.get(chunkId)?.part(place ?? 0, ids) ?? [];
}

interface ChunkRow {
  readonly chunkId: string;
  readonly spans: Uint8Array;
}

async function readChunks(
  sql: Queryable,
  projectId: string,
  chunkIds: readonly string[],
): Promise<readonly ChunkRow[]> {
  if (chunkIds.length === 0) return [];
  const times = chunkIds.map((id) => timeOfChunk(id).toISOString());
  return await sql<ChunkRow[]>`
    select chunk_id as "chunkId", spans from span_chunks
    where project_id = ${projectId} and "timestamp" = any (${times}::text[]::timestamptz[])
      and chunk_id = any (${[...chunkIds]}::bigint[])
  `;
}

/**
 * Deletes all spans of traces, from the chunks as well.
 *
 * @returns how many there were
 */
export async function eraseSpans(
  sql: Sql,
  projectId: string,
  traceIds: readonly string[],
): Promise<number> {
  return await sql.begin(async (tx) => {
    const gone = await tx<{ count: number; chunkId: string | null; place: number | null }[]>`
      delete from span_batches
      where project_id = ${projectId} and trace_id = any (${[...traceIds]}::uuid[])
      returning span_count as count, chunk_id as "chunkId", place
    `;
    const places = Map.groupBy(gone, ({ chunkId }) => chunkId);
    // In one order, so that two who erase never wait for each other.
    const chunkIds = [...places.keys()].filter((id) => id !== null).sort();
    for (const chunkId of chunkIds) {
      const emptied = new Set(places.get(chunkId)?.map(({ place }) => place ?? 0));
      await eraseParts(tx, projectId, chunkId, emptied);
    }
    return gone.reduce((sum, { count }) => sum + count, 0);
  });
}

/** Writes a chunk anew without some of its parts, or deletes it when nothing is left. The others keep their places. */
async function eraseParts(
  tx: Transaction,
  projectId: string,
  chunkId: string,
  emptied: ReadonlySet<number>,
): Promise<void> {
  const ofChunk = tx`
    project_id = ${projectId} and "timestamp" = ${timeOfChunk(chunkId)} and chunk_id = ${chunkId}
  `;
  const [row] = await tx<{ spans: Uint8Array }[]>`
    select spans from span_chunks where ${ofChunk} for update
  `;
  if (row === undefined) return;
  const chunk = openChunk(row.spans);
  const left = chunk.counts.map((count, place) =>
    emptied.has(place) ? [] : chunk.part(place, standIns(count))
  );
  if (left.every((spans) => spans.length === 0)) await tx`delete from span_chunks where ${ofChunk}`;
  else {
    const spans = packChunk(left).toHex();
    await tx`update span_chunks set spans = decode(${spans}, 'hex') where ${ofChunk}`;
  }
}

/** Ids that no span has: a chunk names spans by their places, and their ids stand in the rows. */
function standIns(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count * 8));
}
