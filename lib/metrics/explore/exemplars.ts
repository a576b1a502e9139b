import type { Sql } from "../../store/database.ts";

/** An observation with its trace. */
export interface StoredExemplar {
  readonly metricId: string;
  readonly seriesId: string;
  readonly timeMs: number;
  readonly value: number;
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
}

/**
 * The latest exemplars of some metrics, by descending time.
 *
 * @param request.start from this minute on; `end` is exclusive
 * @param request.limit how many at most
 */
export async function readExemplars(
  sql: Sql,
  projectId: string,
  { metricIds, start, end, limit }: {
    readonly metricIds: readonly string[];
    readonly start: Date;
    readonly end: Date;
    readonly limit: number;
  },
): Promise<StoredExemplar[]> {
  if (metricIds.length === 0) return [];
  const rows = await sql<(Omit<StoredExemplar, "timeMs"> & { time: Date })[]>`
    select metric_id as "metricId", series_id as "seriesId", "timestamp" as time, value,
      replace(trace_id::text, '-', '') as "traceId", span_id as "spanId"
    from metric_exemplars
    where project_id = ${projectId} and metric_id = any (${metricIds.map(String)}::bigint[])
      and minute >= date_trunc('minute', ${start}::timestamptz) and minute < ${end}
      and "timestamp" >= ${start} and "timestamp" < ${end}
    order by "timestamp" desc, series_id, place limit ${limit}
  `;
  return rows.map(({ time, ...exemplar }) => ({ ...exemplar, timeMs: time.getTime() }));
}
