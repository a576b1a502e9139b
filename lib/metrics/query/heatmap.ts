/** How often which values were observed, along the time. */
import type { Buckets, ExponentialBuckets } from "../../records/metric_batch.ts";
import { seriesMatcher } from "../filter.ts";
import { boundOf, bucketRanges, HistogramSum, spreadOver } from "../histograms.ts";
import type { Histogram } from "../points.ts";
import {
  Deadline,
  isClassicBuckets,
  type LabelMatcher,
  type MetricQuery,
  type QueryRequest,
} from "../query_types.ts";
import { chooseMetric } from "./answer.ts";
import { classicBounds, ClassicHistograms } from "./classic_figures.ts";
import { eachHistogram, type FigureSteps } from "./figures.ts";
import { eachSeries, type QueryServices, readOf, type SeriesRead } from "./shared_reads.ts";
import { leastStep, stepsFor, timesOf, usualIntervalOf } from "./steps.ts";

interface HeatmapRequest
  extends Pick<QueryRequest, "projectId" | "start" | "end" | "stepMs" | "scope"> {
  readonly metric: string;
  /** Null: the one that was seen last. */
  readonly kind: MetricQuery["kind"];
  readonly unit: MetricQuery["unit"];
  readonly filter: readonly LabelMatcher[];
}

interface Heatmap {
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
  const metric = await chooseMetric(services, projectId, query);
  const usualIntervalMs = await usualIntervalOf(services, projectId, metric, request.end.getTime());
  const steps = stepsFor(request, request.stepMs, leastStep([usualIntervalMs]));
  const nowMs = (services.now ?? new Date()).getTime();
  const frame = { times: timesOf(steps), stepMs: steps.stepMs };
  if (metric === null) {
    return { ...frame, unit: "", rows: [], columns: frame.times.map(() => null), damaged: 0 };
  }
  const timed = { deadline: new Deadline(), ...services };
  const figureSteps = { ...steps, usualIntervalMs, nowMs };
  const read = await readOf(timed, projectId, metric, isMeant, figureSteps);
  const { histograms, damaged } = isClassicBuckets(metric)
    ? await readClassic(timed, read)
    : await readHistograms(timed, read);
  return {
    ...frame,
    unit: metric.kind === "histogram" ? metric.unit : "",
    ...drawn(histograms),
    damaged,
  };
}

/** One histogram a step; null where no series has any. */
interface StepHistograms {
  readonly histograms: readonly (Histogram | null)[];
  readonly damaged: number;
}

async function readHistograms(
  services: QueryServices,
  read: SeriesRead<FigureSteps>,
): Promise<StepHistograms> {
  const { steps } = read;
  const sums: (HistogramSum | null)[] = Array.from({ length: steps.count }, () => null);
  const damaged = await eachSeries(services, read, (series) => {
    if (series.kind !== "histogram") return;
    eachHistogram(series, steps, (place, histogram) => {
      (sums[place] ??= new HistogramSum()).add(histogram);
    });
  });
  return { histograms: sums.map((sum) => sum?.result() ?? null), damaged };
}

async function readClassic(
  services: QueryServices,
  read: SeriesRead<FigureSteps>,
): Promise<StepHistograms> {
  const { series, steps } = read;
  const histograms = new ClassicHistograms(1, classicBounds(series), steps);
  const damaged = await eachSeries(services, read, (each, labels) => {
    histograms.add(0, each, labels);
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

/** A stretch of values, `(from, to]`. */
interface HeatmapRow {
  /** Null: from the lowest. */
  readonly from: number | null;
  /** Null: to the highest. */
  readonly to: number | null;
}

const MAX_ROWS = 40;

/** The rows that a distribution is drawn in: its buckets from the first to the last that has anything. */
function heatmapRows(buckets: Buckets): HeatmapRow[] {
  const ranges = bucketRanges(buckets);
  const [first] = ranges;
  const last = ranges.at(-1);
  if (first === undefined || last === undefined) return [];
  const bounds = (buckets.kind === "exponential" ? exponentialBounds(buckets) : buckets.bounds)
    .filter((bound) => bound > first.from && bound < last.to);
  return fewer(rowsBetween([first.from, ...bounds, last.to]));
}

/** How many observations of a distribution lie in each row. */
function countsIn(rows: readonly HeatmapRow[], buckets: Buckets): number[] {
  const bounds = rows.slice(0, -1).map(({ to }) => to ?? Infinity);
  if (rows.length === 0) return [];
  if (buckets.kind === "exponential") return spreadOver(buckets, bounds);
  const counts = rows.map(() => 0);
  for (const { to, count } of bucketRanges(buckets)) {
    const found = bounds.findIndex((bound) => bound >= to);
    const place = found === -1 ? rows.length - 1 : found;
    counts[place] = (counts[place] ?? 0) + count;
  }
  return counts;
}

function rowsBetween(bounds: readonly number[]): HeatmapRow[] {
  const edge = (bound: number | undefined) =>
    bound === undefined || !Number.isFinite(bound) ? null : bound;
  return bounds.slice(1).map((to, place) => ({ from: edge(bounds[place]), to: edge(to) }));
}

/** Ascending: those of negative buckets, of the zero bucket, and of positive buckets. */
function exponentialBounds(
  { scale, zeroCount, zeroThreshold, positive, negative }: ExponentialBuckets,
): number[] {
  const above = boundsOf(positive.indexes, scale);
  const below = boundsOf(negative.indexes, scale).map((bound) => -bound).reverse();
  const zero = zeroCount === 0 ? [] : [-zeroThreshold, zeroThreshold];
  const all = [...below, ...zero, ...above].sort((some, other) => some - other);
  return all.filter((bound, place) => place === 0 || bound > (all[place - 1] ?? 0));
}

/** Of every bucket between the first and the last, also of those without anything. */
function boundsOf(indexes: readonly number[], scale: number): number[] {
  const [first] = indexes;
  const last = indexes.at(-1);
  if (first === undefined || last === undefined) return [];
  return Array.from({ length: last - first + 2 }, (_, place) => boundOf(first + place, scale));
}

/** Joins neighbours where there are more rows than are drawn. */
function fewer(rows: readonly HeatmapRow[]): HeatmapRow[] {
  const size = Math.ceil(rows.length / MAX_ROWS);
  const joined: HeatmapRow[] = [];
  for (let at = 0; at < rows.length; at += size) {
    const run = rows.slice(at, at + size);
    joined.push({ from: run[0]?.from ?? null, to: run.at(-1)?.to ?? null });
  }
  return joined;
}
