import type { StoredMetric } from "../catalog.ts";
import type { SeriesSteps } from "../points.ts";
import { readSteps } from "../read/steps.ts";
import type { SharingServices } from "./shared_reads.ts";
import type { Steps } from "./steps.ts";

/** Which series of a metric are read, and along which steps. */
export interface SeriesRead {
  readonly projectId: string;
  readonly metric: StoredMetric;
  /** By ascending id. */
  readonly seriesIds: readonly string[];
  /** Whether these are all series of the metric. */
  readonly isAll: boolean;
  readonly steps: Steps;
}

/** Points in memory at once, some 20 bytes each. */
const MAX_POINTS = 2_000_000;
/** The same of long series of histograms, which are some hundreds of bytes each. */
const MAX_HISTOGRAMS = 500_000;
/** Points of a series: the minutes of a week. */
const LONG_SERIES = 10_000;
/** So few series do not make a difference, and blocks hold more. */
const MIN_BATCH = 256;
const MINUTE_MS = 60_000;
/** Points that are not rolled up yet are read as they were written. */
const RAW_MS = 4 * 3_600_000;
const USUAL_INTERVAL_MS = 15_000;

/**
 * Reads series and hands them out one after the other, as many in memory at once as there is room for.
 *
 * @returns how many stored blocks could not be read
 */
export async function eachSeries(
  services: SharingServices,
  { projectId, metric, seriesIds, isAll, steps }: SeriesRead,
  visit: (series: SeriesSteps) => void,
): Promise<number> {
  const size = batchSize(steps, metric);
  let damaged = 0;
  for (let from = 0; from < seriesIds.length; from += size) {
    const isWhole = isAll && size >= seriesIds.length;
    const request = {
      metricId: metric.metricId,
      kind: metric.kind,
      seriesIds: isWhole ? null : seriesIds.slice(from, from + size),
      startMs: steps.startMs,
      endMs: steps.endMs,
      stepMs: steps.stepMs,
      usualIntervalMs: metric.usualIntervalMs,
      counted: metric,
    };
    const read = await (services.shared?.read(services, projectId, request) ??
      readSteps(services, projectId, request));
    damaged += read.damaged;
    for (const series of read.series) visit(series);
  }
  return damaged;
}

/** How many series are read at once. */
export function batchSize(
  { startMs, endMs, stepMs }: Pick<Steps, "startMs" | "endMs" | "stepMs">,
  { kind, usualIntervalMs }: Pick<StoredMetric, "kind" | "usualIntervalMs">,
): number {
  const length = endMs - startMs;
  const interval = usualIntervalMs || USUAL_INTERVAL_MS;
  const raw = stepMs % MINUTE_MS === 0 ? Math.min(length, RAW_MS) : length;
  const points = raw / interval + (length - raw) / MINUTE_MS;
  if (kind === "histogram" && points > LONG_SERIES) {
    return Math.max(1, Math.floor(MAX_HISTOGRAMS / points));
  }
  return Math.max(MIN_BATCH, Math.floor(MAX_POINTS / points));
}
