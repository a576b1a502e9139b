/** The one way to the payloads of events: packed together with others, or, as earlier versions stored them, in the row. */
import type postgres from "postgres";
import type { Queryable } from "../database.ts";
import { unpackText } from "../values.ts";
import { type ChunkEntry, unpackChunk } from "./codec.ts";

/** Where the payload of an event is: what {@linkcode payloadColumns} select, and the event's id. */
export interface PayloadPlace {
  /** 32 lower-case hex digits, with or without hyphens. */
  readonly eventId: string;
  readonly ownPayload: Uint8Array | null;
  /** Null: {@linkcode ownPayload} is all. */
  readonly chunkId: string | null;
  /** The UTC day of the event. */
  readonly chunkDay: Date;
}

/** To be selected of `events` by whoever calls {@linkcode payloadsOf}. */
export function payloadColumns(sql: Queryable): postgres.Fragment {
  return sql`events.payload as "ownPayload", ${chunkColumns(sql)}`;
}

/** The part of them that leads to the chunk. Immutable, as Citus wants it of what a statement returns. */
export function chunkColumns(sql: Queryable): postgres.Fragment {
  return sql`
    events.chunk_id as "chunkId",
    date_bin('1 day', events."timestamp", timestamptz '1970-01-01 00:00Z') as "chunkDay"
  `;
}

/**
 * The payloads of events of a project, parallel to `places`; null for those that are just being deleted. Each chunk is
 * read once.
 *
 * @throws {Error} when one is damaged
 */
export async function payloadsOf(
  sql: Queryable,
  projectId: string,
  places: readonly PayloadPlace[],
): Promise<(string | null)[]> {
  const packed = places.filter(({ chunkId }) => chunkId !== null);
  const found = packed.length === 0 ? null : await packedPayloads(sql, projectId, packed);
  return places.map(({ eventId, ownPayload }) =>
    ownPayload === null ? found?.get(plainId(eventId)) ?? null : unpackText(ownPayload)
  );
}

/** Rows with their payloads as text; those that are just being deleted are left out. */
export async function withPayloads<Row extends PayloadPlace>(
  sql: Queryable,
  projectId: string,
  rows: readonly Row[],
): Promise<(Omit<Row, Exclude<keyof PayloadPlace, "eventId">> & { readonly payload: string })[]> {
  const payloads = await payloadsOf(sql, projectId, rows);
  return rows.flatMap(({ ownPayload: _own, chunkId: _id, chunkDay: _day, ...row }, index) => {
    const payload = payloads[index];
    return typeof payload === "string" ? [{ ...row, payload }] : [];
  });
}

/** The id of an event as chunks have it. */
export function plainId(eventId: string): string {
  return eventId.replaceAll("-", "");
}

/** By plain event id. */
async function packedPayloads(
  sql: Queryable,
  projectId: string,
  places: readonly PayloadPlace[],
): Promise<Map<string, string>> {
  const wanted = new Set(places.map(({ eventId }) => plainId(eventId)));
  const decoder = new TextDecoder();
  const payloads = new Map<string, string>();
  const take = (entries: readonly ChunkEntry[]) => {
    for (const { eventId, payload } of entries) {
      if (wanted.delete(eventId)) payloads.set(eventId, decoder.decode(payload));
    }
  };
  for (const { body } of await chunksOf(sql, projectId, places, 1)) take(unpackChunk(body));
  if (wanted.size === 0) return payloads;
  const others = places.filter(({ eventId }) => wanted.has(plainId(eventId)));
  for (const { body } of await chunksOf(sql, projectId, others, null)) take(unpackChunk(body));
  return payloads;
}

/**
 * The chunks that stand for ids.
 *
 * @param most for each id, those that begin last first; null: all. Joined chunks lie across each other where one came late.
 */
async function chunksOf(
  sql: Queryable,
  projectId: string,
  places: readonly PayloadPlace[],
  most: 1 | null,
): Promise<{ readonly body: Uint8Array }[]> {
  const days = Map.groupBy(places, ({ chunkDay }) => chunkDay.getTime());
  // Day by day: each query is of one partition. They are sent without waiting for each other.
  const found = await Promise.all(
    [...days].map(([day, ofDay]) =>
      chunksOfDay(sql, projectId, new Date(day), { ids: idsOf(ofDay), most })
    ),
  );
  return found.flat();
}

function idsOf(places: readonly PayloadPlace[]): string[] {
  return [...new Set(places.flatMap(({ chunkId }) => chunkId === null ? [] : [chunkId]))];
}

async function chunksOfDay(
  sql: Queryable,
  projectId: string,
  day: Date,
  { ids, most }: { readonly ids: readonly string[]; readonly most: 1 | null },
): Promise<{ readonly body: Uint8Array }[]> {
  return await sql<{ body: Uint8Array }[]>`
    select body
    from (
      select distinct nearest.chunk_id
      from unnest(${[...ids]}::bigint[]) as wanted (id) cross join lateral (
        select chunk_id from event_chunks
        where project_id = ${projectId} and "timestamp" = ${day}
          and chunk_id <= wanted.id and last_id >= wanted.id
        order by chunk_id desc limit ${most}
      ) as nearest
    ) as found
    join event_chunks on project_id = ${projectId} and "timestamp" = ${day}
      and event_chunks.chunk_id = found.chunk_id
  `;
}
