/** Exemplars of metrics, which are kept apart from their points, at the points that they were observed before. */
import { nanosOfMs } from "../../formats/otlp/write.ts";
import type { RawSeries } from "../../metrics/mod.ts";
import type { Sql } from "../../store/database.ts";

interface ExemplarRow {
  readonly seriesId: string;
  readonly time: Date;
  readonly value: number;
  readonly traceId: string;
  readonly spanId: string | null;
}

/** `Exemplar` of OTLP as JSON. */
export interface ExemplarJson {
  readonly timeUnixNano: string;
  readonly asDouble: number;
  readonly traceId: string;
  readonly spanId?: string;
}

/** Of series, by their ids, the earliest first. */
export type Exemplars = ReadonlyMap<string, readonly ExemplarRow[]>;

/** Those of a metric from one time to before another, in milliseconds since 1970. */
export async function readExemplars(
  sql: Sql,
  projectId: string,
  metricId: string,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): Promise<Exemplars> {
  const rows = await sql<ExemplarRow[]>`
    select series_id as "seriesId", "timestamp" as time, value,
      replace(trace_id::text, '-', '') as "traceId", span_id as "spanId"
    from metric_exemplars
    where project_id = ${projectId} and metric_id = ${metricId}
      and minute >= ${new Date(startMs)} and minute < ${new Date(endMs)}
    order by "timestamp", place
  `;
  return Map.groupBy(rows, ({ seriesId }) => seriesId);
}

/** Readers take no more of a point, ours neither. */
const MOST_OF_POINT = 5;

/** The exemplars of each point, by its place: each is at the first point at its time or after that has room, else at the last before. */
export function atPoints(
  { seriesId, times }: Pick<RawSeries, "seriesId" | "times">,
  exemplars: Exemplars,
): ReadonlyMap<number, readonly ExemplarJson[]> {
  const placed = new Map<number, ExemplarJson[]>();
  const hasRoom = (index: number) => (placed.get(index)?.length ?? 0) < MOST_OF_POINT;
  for (const { time, value, traceId, spanId } of exemplars.get(seriesId) ?? []) {
    const after = times.findIndex((at, index) => at >= time.getTime() && hasRoom(index));
    const index = after >= 0 ? after : times.findLastIndex((_, index) => hasRoom(index));
    if (index < 0) continue;
    const exemplar = {
      timeUnixNano: nanosOfMs(time.getTime()),
      asDouble: value,
      traceId,
      ...(spanId !== null && { spanId }),
    };
    placed.set(index, [...placed.get(index) ?? [], exemplar]);
  }
  return placed;
}

/** Few enough in a request for every reader. */
export const MOST_EXEMPLARS = 500;
