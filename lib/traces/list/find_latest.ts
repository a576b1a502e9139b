/** Finds the traces of a page by their latest matching entries: by indexes, by segments, or along time. */
import type postgres from "postgres";
import type { Queryable, Sql } from "../../store/database.ts";
import {
  type Cursor,
  type CursorPage,
  cutPage,
  readInSlices,
  withinTime,
} from "../../store/query_limits.ts";
import { lookUp, type Piece } from "../../store/search_index/look_up.ts";
import { cutTo, inPiece, piecesTable, readInPieces } from "../../store/search_index/read_pieces.ts";
import { findRare } from "./find_rare.ts";
import { conditionsOfBlocks } from "./index_transactions.ts";
import {
  beyondCursor,
  fromCursor,
  latestColumns,
  type LatestEntry,
  readTraceCursor,
} from "./latest_entry.ts";
import { matching, type TraceSelection } from "./trace_terms.ts";

export interface TraceQuery extends TraceSelection {
  readonly cursor: string | null;
  readonly limit: number;
}

/** Nobody waits for a list of traces any longer. */
export const SEARCH_TIMEOUT_MS = 8_000;

/** The latest entries of the traces of one page. @throws {QueryTooSlow} */
export async function findLatest(sql: Sql, query: TraceQuery): Promise<CursorPage<LatestEntry>> {
  const cursor = readTraceCursor(query.cursor);
  const limit = query.limit + 1;
  const timeoutMs = SEARCH_TIMEOUT_MS;
  const found = await findRare(sql, query, { cursor, limit, timeoutMs }) ??
    await readBlocks(sql, query, cursor, limit) ??
    await readAlongTime(sql, query, cursor, limit);
  return cutPage(found, query.limit, cursor, ({ timestamp, eventId }) => ({
    value: timestamp.toISOString(),
    id: eventId,
  }));
}

async function readAlongTime(
  sql: Sql,
  query: TraceQuery,
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[]> {
  return await readInSlices<LatestEntry>({
    ...beyond(query, cursor),
    limit,
    timeoutMs: SEARCH_TIMEOUT_MS,
    read: (slice, missing, leftMs) =>
      withinTime(sql, leftMs, (tx) => readSlice(tx, query, slice, cursor, missing)),
  });
}

/** The part of the time that lies beyond a cursor, and the direction in which it is read. */
function beyond({ start, end }: TraceQuery, cursor: Cursor | null) {
  const isForwards = cursor?.direction === "previous";
  const at = cursor === null ? null : Date.parse(cursor.value);
  return {
    start: at === null || !isForwards ? start : new Date(Math.max(at, start.getTime())),
    end: at === null || isForwards ? end : new Date(Math.min(at + 1, end.getTime())),
    isForwards,
  };
}

/** As {@linkcode readAlongTime}, where segments tell that there may be entries; null where they do not tell. */
async function readBlocks(
  sql: Sql,
  query: TraceQuery,
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[] | null> {
  const conditions = conditionsOfBlocks(query);
  if (conditions === null) return null;
  const { projectId } = query;
  return await readInPieces<LatestEntry>({
    ...beyond(query, cursor),
    limit,
    timeoutMs: SEARCH_TIMEOUT_MS,
    find: (slice) => lookUp(sql, "transaction", { projectId, ...slice, ...conditions }),
    read: (part, missing, leftMs) =>
      withinTime(sql, leftMs, (tx) => readPieces(tx, query, part, cursor, missing)),
  });
}

/** As {@linkcode readSlice}, of entries in some pieces of the time. */
async function readPieces(
  tx: postgres.TransactionSql,
  query: TraceQuery,
  pieces: readonly Piece[],
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[]> {
  const part = cutTo(query, pieces);
  return await tx<LatestEntry[]>`
    select found.* from ${piecesTable(tx, pieces)} cross join lateral (
      select ${latestColumns(tx)}
      from transactions as entry
      where ${matching(tx, part)} and ${inPiece(tx)} and ${beyondCursor(tx, cursor)}
        and ${isLatest(tx, { ...query, start: part.start })}
      ${fromCursor(tx, cursor)}
      limit ${limit}
    ) as found
    order by ${
    cursor?.direction === "previous"
      ? tx`"timestamp", "eventId"::uuid`
      : tx`"timestamp" desc, "eventId"::uuid desc`
  }
    limit ${limit}
  `;
}

/** Whether no later entry of the trace matches. @param query its time may begin with that of the entries */
function isLatest(tx: Queryable, query: TraceQuery): postgres.Fragment {
  // A subquery with a limit is asked row by row along the index: as a join, Postgres may read the whole range first.
  return tx`(
    select true from transactions as later
    where ${matching(tx, query)} and later.trace_id = entry.trace_id
      and later."timestamp" >= entry."timestamp"
      and (later."timestamp", later.event_id) > (entry."timestamp", entry.event_id)
    limit 1
  ) is null`;
}

/** The latest entries of traces that lie in a part of the time and beyond the cursor. */
async function readSlice(
  tx: postgres.TransactionSql,
  query: TraceQuery,
  slice: { readonly start: Date; readonly end: Date },
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[]> {
  // Conditions on spans are taken for much rarer than they are: all entries of a day would be tested and then sorted,
  // where the first hundred along the index are enough. Sent one after the other without waiting.
  const [, entries] = await Promise.all([
    tx`select set_config('enable_sort', 'off', true)`,
    tx<LatestEntry[]>`
      select ${latestColumns(tx)}
      from transactions as entry
      where ${matching(tx, { ...query, ...slice })} and ${beyondCursor(tx, cursor)}
        and ${isLatest(tx, { ...query, start: slice.start })}
      ${fromCursor(tx, cursor)}
      limit ${limit}
    `,
  ]);
  return entries;
}
