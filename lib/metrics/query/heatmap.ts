/** How often which values were observed, along the time. */
import type { Histogram } from "../histogram.ts";
import { HistogramSum } from "../sum.ts";
import type { StoredMetric } from "../catalog.ts";
import { Deadline } from "../deadline.ts";
import type { LabelMatcher, MetricQuery, QueryRequest } from "../query_types.ts";
import { isClassicBuckets } from "../aggregations.ts";
import { chooseMetric } from "./choose_metric.ts";
import { classicBounds, ClassicHistograms } from "./classic_figures.ts";
import { eachSeries } from "./each_series.ts";
import { type FigureSteps, placeOf } from "./group_figures.ts";
import { countsIn, type HeatmapRow, heatmapRows, MAX_ROWS } from "./heatmap_rows.ts";
import { seriesMatcher } from "../matchers.ts";
import type { QueryServices } from "./run_queries.ts";
import { type CatalogSeries, seenSince, seriesOf } from "../series_catalog.ts";
import { stepsFor, timesOf } from "./steps.ts";
import { leastStep, usualIntervalOf } from "./usual_interval.ts";

export interface HeatmapRequest
  extends Pick<QueryRequest, "projectId" | "start" | "end" | "stepMs" | "scope"> {
  readonly metric: string;
  /** Null: the one that was seen last. */
  readonly kind: MetricQuery["kind"];
  readonly unit: MetricQuery["unit"];
  readonly filter: readonly LabelMatcher[];
}

export interface Heatmap {
  /** Beginnings of the steps in milliseconds, ascending. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** UCUM, of the rows' values. */
  readonly unit: string;
  /** Ascending and side by side; at most 40. Empty when nothing was observed. */
  readonly rows: readonly HeatmapRow[];
  /** One a step: how many observations in each row; null where there is nothing. */
  readonly columns: readonly (readonly number[] | null)[];
  /** Stored blocks that could not be read. */
  readonly damaged: number;
}

/**
 * The observations of a histogram metric, or of Prometheus' counters of buckets (`…_bucket` by `le`), by step and value.
 *
 * @throws {InvalidQuery} for metrics of other kinds, and as `runQueries()`
 */
export async function runHeatmap(
  services: QueryServices,
  request: HeatmapRequest,
): Promise<Heatmap> {
  const { projectId, filter, scope } = request;
  const isMeant = seriesMatcher(filter, scope);
  const query = { ...request, id: "a", aggregation: "p95" as const, groupBy: [], top: 1 };
  const metric = await chooseMetric(services.sql, projectId, query);
  const usualIntervalMs = metric === null
    ? 0
    : await usualIntervalOf(services, projectId, metric, request.end.getTime());
  const steps = stepsFor(request, request.stepMs, leastStep([usualIntervalMs]));
  const nowMs = (services.now ?? new Date()).getTime();
  const frame = { times: timesOf(steps), stepMs: steps.stepMs };
  if (metric === null) {
    return { ...frame, unit: "", rows: [], columns: frame.times.map(() => null), damaged: 0 };
  }
  const stored = await seriesOf(services.sql, projectId, metric.metricId);
  const all = seenSince(stored, steps.startMs);
  const reading: Reading = {
    services: { deadline: new Deadline(), ...services },
    projectId,
    metric,
    series: all.filter(({ labels }) => isMeant(labels)),
    allCount: all.length,
    steps: { ...steps, usualIntervalMs, nowMs },
  };
  const { histograms, damaged } = isClassicBuckets(metric)
    ? await readClassic(reading)
    : await readHistograms(reading);
  return {
    ...frame,
    unit: metric.kind === "histogram" ? metric.unit : "",
    ...drawn(histograms),
    damaged,
  };
}

interface Reading {
  readonly services: QueryServices;
  readonly projectId: string;
  readonly metric: StoredMetric;
  /** Those that are meant. */
  readonly series: readonly CatalogSeries[];
  readonly allCount: number;
  readonly steps: FigureSteps;
}

/** One histogram a step; null where no series has any. */
interface StepHistograms {
  readonly histograms: readonly (Histogram | null)[];
  readonly damaged: number;
}

function readOf({ projectId, metric, series, allCount, steps }: Reading) {
  const seriesIds = series.map(({ seriesId }) => seriesId);
  return { projectId, metric, seriesIds, isAll: series.length === allCount, steps };
}

async function readHistograms(reading: Reading): Promise<StepHistograms> {
  const { services, steps } = reading;
  const sums: (HistogramSum | null)[] = Array.from({ length: steps.count }, () => null);
  const damaged = await eachSeries(services, readOf(reading), (series) => {
    if (series.kind !== "histogram") return;
    for (const [at, histogram] of series.histograms.entries()) {
      const place = placeOf(series.times[at] ?? 0, steps);
      if (place < 0 || place >= steps.count) continue;
      (sums[place] ??= new HistogramSum()).add(histogram);
    }
  });
  return { histograms: sums.map((sum) => sum?.result() ?? null), damaged };
}

async function readClassic(reading: Reading): Promise<StepHistograms> {
  const { services, series, steps } = reading;
  const histograms = new ClassicHistograms(1, classicBounds(series), steps);
  const labelsOf = new Map(series.map(({ seriesId, labels }) => [seriesId, labels]));
  const damaged = await eachSeries(services, readOf(reading), (each) => {
    histograms.add(0, each, labelsOf.get(each.seriesId) ?? {});
  });
  const places = Array.from({ length: steps.count }, (_, place) => place);
  return { histograms: places.map((place) => histograms.at(0, place)), damaged };
}

function drawn(
  histograms: readonly (Histogram | null)[],
): Pick<Heatmap, "rows" | "columns"> {
  const whole = new HistogramSum(MAX_ROWS);
  for (const histogram of histograms) if (histogram !== null) whole.add(histogram);
  const rows = heatmapRows(whole.result().buckets);
  return {
    rows,
    columns: histograms.map((histogram) => histogram && countsIn(rows, histogram.buckets)),
  };
}
