import type postgres from "postgres";
import { type Cursor, type CursorPage, cutPage } from "../../store/cursor.ts";
import type { Sql } from "../../store/database.ts";
import { findRare } from "./rare_traces.ts";
import { DAY_MS } from "../../store/scope_filter.ts";
import { withinTime } from "../../store/statement_timeout.ts";
import { readInSlices } from "../../store/time_slices.ts";
import {
  beyondCursor,
  fromCursor,
  latestColumns,
  type LatestEntry,
  readTraceCursor,
} from "./trace_cursor.ts";
import { withSources } from "./trace_sources.ts";
import { matching, type TraceSelection } from "./trace_terms.ts";

export interface TraceQuery extends TraceSelection {
  readonly cursor: string | null;
  readonly limit: number;
}

/**
 * One trace as lists show it: the whole of it, whatever part of it was searched for, as far as it happened within a
 * day of what was found.
 */
export interface TraceRow {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Of the entry without parent, else of the earliest one; so are operation and status. */
  readonly name: string;
  readonly op: string;
  readonly status: string;
  readonly httpStatus: number | null;
  readonly startedAt: Date;
  /** From the start of the first entry to the end of the last. */
  readonly durationMs: number;
  readonly entries: number;
  /** Entries that failed. */
  readonly failures: number;
  /** Events of issues. */
  readonly errors: number;
  /** By name; platforms where no service was named. */
  readonly services: readonly string[];
  /** By name. */
  readonly environments: readonly string[];
}

/** Nobody waits for a list of traces any longer. */
const SEARCH_TIMEOUT_MS = 8_000;

/**
 * One page of a project's traces, those with the latest entry first.
 *
 * @throws {QueryTooSlow} when the search takes too long: a shorter time or fewer conditions would do
 */
export async function listTraces(sql: Sql, asked: TraceQuery): Promise<CursorPage<TraceRow>> {
  const query = await withSources(sql, asked);
  const page = await findLatest(sql, query);
  if (page.rows.length === 0) return { ...page, rows: [] };
  const rows = await withinTime(
    sql,
    SEARCH_TIMEOUT_MS,
    (tx) => describe(tx, query.projectId, page.rows),
  );
  return { ...page, rows };
}

async function findLatest(sql: Sql, query: TraceQuery): Promise<CursorPage<LatestEntry>> {
  const cursor = readTraceCursor(query.cursor);
  const limit = query.limit + 1;
  const timeoutMs = SEARCH_TIMEOUT_MS;
  const found = await findRare(sql, query, { cursor, limit, timeoutMs }) ??
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
  const { start, end } = query;
  const isForwards = cursor?.direction === "previous";
  const at = cursor === null ? null : Date.parse(cursor.value);
  return await readInSlices<LatestEntry>({
    start: at === null || !isForwards ? start : new Date(Math.max(at, start.getTime())),
    end: at === null || isForwards ? end : new Date(Math.min(at + 1, end.getTime())),
    isForwards,
    limit,
    timeoutMs: SEARCH_TIMEOUT_MS,
    read: (slice, missing, leftMs) =>
      withinTime(sql, leftMs, (tx) => readSlice(tx, query, slice, cursor, missing)),
  });
}

/** The latest entries of traces that lie in a part of the time and beyond the cursor. */
async function readSlice(
  tx: postgres.TransactionSql,
  query: TraceQuery,
  slice: { readonly start: Date; readonly end: Date },
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[]> {
  // A subquery with a limit is asked row by row along the index: as a join, Postgres may read the whole range first.
  return await tx<LatestEntry[]>`
    select ${latestColumns(tx)}
    from transactions as entry
    where ${matching(tx, { ...query, ...slice })} and ${beyondCursor(tx, cursor)}
      and (
        select true from transactions as later
        where ${matching(tx, query)} and later.trace_id = entry.trace_id
          and later."timestamp" >= entry."timestamp"
          and (later."timestamp", later.event_id) > (entry."timestamp", entry.event_id)
        limit 1
      ) is null
    ${fromCursor(tx, cursor)}
    limit ${limit}
  `;
}

interface TraceFacts extends Omit<TraceRow, "durationMs" | "errors"> {
  readonly endedAt: Date;
}

/** The traces of entries, in their order. */
async function describe(
  tx: postgres.TransactionSql,
  projectId: string,
  latest: readonly LatestEntry[],
): Promise<TraceRow[]> {
  const traceIds = latest.map(({ traceId }) => traceId);
  const times = latest.map(({ timestamp }) => timestamp.getTime());
  const around = {
    start: new Date(Math.min(...times) - DAY_MS),
    end: new Date(Math.max(...times) + DAY_MS),
  };
  const within = tx`
    project_id = ${projectId} and trace_id = any (${traceIds}::uuid[])
    and "timestamp" >= ${around.start} and "timestamp" < ${around.end}
  `;
  const root = tx`parent_span_id is not null, started_at, span_id`;
  const facts = await tx<TraceFacts[]>`
    select
      replace(trace_id::text, '-', '') as "traceId",
      (array_agg(name order by ${root}))[1] as name,
      (array_agg(op order by ${root}))[1] as op,
      (array_agg(status order by ${root}))[1] as status,
      (array_agg(http_status order by ${root}))[1] as "httpStatus",
      min(started_at) as "startedAt",
      max(started_at + duration_ms * interval '1 millisecond') as "endedAt",
      count(*)::int as entries,
      (count(*) filter (where is_failed))::int as failures,
      array_agg(distinct coalesce(nullif(service, ''), platform)) as services,
      array_agg(distinct environment) as environments
    from transactions
    where ${within}
    group by trace_id
  `;
  const errors = await tx<{ traceId: string; errors: number }[]>`
    select replace(trace_id::text, '-', '') as "traceId", count(*)::int as errors
    from events
    where ${within}
    group by trace_id
  `;
  const factsById = new Map(facts.map((each) => [each.traceId, each]));
  const errorsById = new Map(errors.map((each) => [each.traceId, each.errors]));
  return traceIds.flatMap((traceId) => {
    const found = factsById.get(traceId);
    if (found === undefined) return [];
    const { endedAt, environments, ...row } = found;
    return [{
      ...row,
      durationMs: endedAt.getTime() - row.startedAt.getTime(),
      environments: environments.filter((name) => name !== ""),
      errors: errorsById.get(traceId) ?? 0,
    }];
  });
}
