/** Where a page of traces goes on: lists of them are in the order of each trace's latest entry. */
import type postgres from "postgres";
import type { Queryable } from "../../store/database.ts";
import { type Cursor, isHexId, isIsoTime, readCursor } from "../../store/query_limits.ts";

/** The latest entry of a trace that is searched for. */
export interface LatestEntry {
  /** 32 lower-case hex digits, as `eventId`. */
  readonly traceId: string;
  readonly timestamp: Date;
  readonly eventId: string;
}

/** Reads the cursor of a list of traces; null for the first page. */
export function readTraceCursor(text: string | null): Cursor | null {
  return readCursor(text, (value, id) => isIsoTime(value) && isHexId(id));
}

/** What `LatestEntry` is read of, as columns of a query. */
export function latestColumns(sql: Queryable): postgres.Fragment {
  return sql`
    replace(trace_id::text, '-', '') as "traceId", "timestamp",
    replace(event_id::text, '-', '') as "eventId"
  `;
}

/** The condition that entries lie beyond the cursor. */
export function beyondCursor(sql: Queryable, cursor: Cursor | null): postgres.Fragment {
  if (cursor === null) return sql`true`;
  return sql`
    ("timestamp", event_id) ${cursor.direction === "previous" ? sql`>` : sql`<`}
      (${cursor.value}::text::timestamptz, ${cursor.id}::uuid)
  `;
}

/** Those next to the cursor first. */
export function fromCursor(sql: Queryable, cursor: Cursor | null): postgres.Fragment {
  return cursor?.direction === "previous"
    ? sql`order by "timestamp", event_id`
    : sql`order by "timestamp" desc, event_id desc`;
}
