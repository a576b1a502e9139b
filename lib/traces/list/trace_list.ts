import { DAY_MS } from "../../core/time.ts";
import type postgres from "postgres";
import type { Sql } from "../../store/database.ts";
import { type CursorPage, withinTime } from "../../store/query_limits.ts";
import { findLatest, SEARCH_TIMEOUT_MS, type TraceQuery } from "./find_latest.ts";
import type { LatestEntry } from "./latest_entry.ts";
import { withSources } from "./tag_sources.ts";

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
