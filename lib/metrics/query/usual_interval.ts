import type { StoredMetric } from "../catalog.ts";
import type { ReadServices } from "../read/read_types.ts";
import { readRaw } from "../read/raw.ts";
import { seriesOf } from "../series_catalog.ts";
import { HOUR_MS } from "./steps.ts";

const SERIES = 20;
const SPAN_MS = 10 * 60_000;
/** Of less nobody can tell what is usual. */
const MIN_DISTANCES = 3;
const JITTER = 0.9;

/**
 * How often the points of a metric come, in milliseconds; 0: unknown. Of a metric that is too young to have been
 * measured, by its newest points before a time.
 */
export async function usualIntervalOf(
  services: ReadServices,
  projectId: string,
  metric: StoredMetric,
  endMs: number,
): Promise<number> {
  if (metric.usualIntervalMs > 0) return metric.usualIntervalMs;
  const series = await seriesOf(services.sql, projectId, metric.metricId);
  if (series.length === 0) return 0;
  const read = await readRaw(services, projectId, {
    metricId: metric.metricId,
    kind: metric.kind,
    seriesIds: series.slice(0, SERIES).map(({ seriesId }) => seriesId),
    startMs: endMs - SPAN_MS,
    endMs,
  });
  return medianOf(
    read.series.flatMap((each) =>
      distancesOf(each.shape === "number" ? each.times : each.points.map(({ timeMs }) => timeMs))
    ),
  );
}

/** The shortest step that makes sense where points come in such intervals; points come a little early or late. */
export function leastStep(intervalsMs: readonly number[]): number {
  return Math.min(Math.max(0, ...intervalsMs) * JITTER, HOUR_MS);
}

function distancesOf(times: ArrayLike<number>): number[] {
  return Array.from(
    { length: Math.max(0, times.length - 1) },
    (_, place) => (times[place + 1] ?? 0) - (times[place] ?? 0),
  );
}

function medianOf(values: number[]): number {
  if (values.length < MIN_DISTANCES) return 0;
  return values.sort((some, other) => some - other)[Math.floor(values.length / 2)] ?? 0;
}
