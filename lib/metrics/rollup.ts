/** Adds points up by step. The same for rollups that are stored and for questions, so that both agree. */
import type { MetricKind } from "../records/metric_batch.ts";
import { decimalsOf, scaleOf } from "./codec/decimals.ts";
import { columnOf, newColumn } from "./list_column.ts";
import type { Histogram } from "./histogram.ts";
import { HistogramSum } from "./sum.ts";
import { type Counted, histogramIncreasesOf, increasesOf } from "./increases.ts";
import type {
  CounterSteps,
  GaugeSteps,
  HistogramSteps,
  RawHistograms,
  RawNumbers,
  RawSeries,
  SeriesSteps,
} from "./points.ts";
import {
  eachRun,
  maxOf,
  minOf,
  type StepRange,
  type StepRuns,
  stepRuns,
  sumOf,
} from "./step_runs.ts";

/**
 * Adds a series up by step. Points before the range are what its first increases are counted from, at most
 * {@linkcode GAP_MS} before; they make no steps.
 *
 * @param usualIntervalMs how often the metric's points come; 0: unknown
 */
export function rollUp(
  kind: MetricKind,
  series: RawSeries,
  range: StepRange,
  usualIntervalMs: number,
  counted?: Counted,
): SeriesSteps {
  if (series.shape === "histogram") return histogramSteps(series, range, usualIntervalMs, counted);
  return kind === "gauge"
    ? gaugeSteps(series, range)
    : counterSteps(series, range, usualIntervalMs, counted);
}

function counterSteps(
  series: RawNumbers,
  range: StepRange,
  usualIntervalMs: number,
  counted?: Counted,
): CounterSteps {
  const { seriesId, values, temporality } = series;
  const increases = temporality === "cumulative"
    ? increasesOf(series, usualIntervalMs, counted)
    : values;
  const runs = stepRuns("counter", series.times, range);
  const digits = scaleOf(values);
  const sums = eachRun(runs, (from, to) => decimalsOf(sumOf(increases, from, to), digits));
  return { kind: "counter", seriesId, times: runs.times, increases: sums };
}

function gaugeSteps({ seriesId, times, values }: RawNumbers, range: StepRange): GaugeSteps {
  const runs = stepRuns("gauge", times, range);
  const first = runs.edges[0] ?? 0;
  const last = runs.edges.at(-1) ?? 0;
  if (last - first === runs.times.length) {
    // A point a step: it is all that there is to tell.
    const lasts = values.subarray(first, last);
    const counts = newColumn(lasts.length).fill(1);
    return {
      kind: "gauge",
      seriesId,
      times: runs.times,
      counts,
      sums: lasts,
      mins: lasts,
      maxs: lasts,
      lasts,
    };
  }
  const digits = scaleOf(values);
  return {
    kind: "gauge",
    seriesId,
    times: runs.times,
    counts: eachRun(runs, (from, to) => to - from),
    sums: eachRun(runs, (from, to) => decimalsOf(sumOf(values, from, to), digits)),
    mins: eachRun(runs, (from, to) => minOf(values, from, to)),
    maxs: eachRun(runs, (from, to) => maxOf(values, from, to)),
    lasts: eachRun(runs, (_, to) => values[to - 1] ?? 0),
  };
}

function histogramSteps(
  { seriesId, points, temporality }: RawHistograms,
  range: StepRange,
  usualIntervalMs: number,
  counted?: Counted,
): HistogramSteps {
  const parts: readonly Histogram[] = temporality === "cumulative"
    ? histogramIncreasesOf(points, usualIntervalMs, counted)
    : points;
  const runs = stepRuns("histogram", columnOf(points, ({ timeMs }) => timeMs), range);
  return { kind: "histogram", seriesId, times: runs.times, histograms: mergedRuns(parts, runs) };
}

/** The histograms of each run as one. */
export function mergedRuns(parts: readonly Histogram[], { edges }: StepRuns): Histogram[] {
  const histograms: Histogram[] = [];
  for (let run = 0; run < edges.length - 1; run++) {
    histograms.push(merged(parts.slice(edges[run], edges[run + 1])));
  }
  return histograms;
}

function merged(parts: readonly Histogram[]): Histogram {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return bare(first);
  const sum = new HistogramSum();
  for (const part of parts) sum.add(part);
  const whole = sum.result();
  // What buckets tell of extremes they tell later as well.
  return parts.some(({ min, max }) => min !== null || max !== null)
    ? whole
    : { ...whole, min: null, max: null };
}

function bare({ count, sum, min, max, buckets }: Histogram): Histogram {
  return { count, sum, min, max, buckets };
}
