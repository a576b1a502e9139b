/** Adds points up by step. The same for rollups that are stored and for questions, so that both agree. */
import type { MetricKind } from "../records/metric_batch.ts";
import { decimalsOf, scaleOf } from "./codec/columns.ts";
import { HistogramSum } from "./histograms.ts";
import { type Counted, histogramIncreasesOf, increasesOf } from "./increases.ts";
import {
  columnOf,
  type CounterSteps,
  type GaugeSteps,
  type Histogram,
  type HistogramSteps,
  joinedColumn,
  newColumn,
  type RawHistograms,
  type RawNumbers,
  type RawSeries,
  type SeriesSteps,
} from "./points.ts";
import {
  eachRun,
  maxOf,
  minOf,
  placesWithin,
  type StepRange,
  type StepRuns,
  stepRuns,
  sumOf,
} from "./slots.ts";

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
function mergedRuns(parts: readonly Histogram[], { edges }: StepRuns): Histogram[] {
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

/** Steps that are known become longer ones. */

/**
 * Joins shorter steps into longer ones, as minutes into hours, and parts of one step, which begin alike.
 *
 * @param range its step is a multiple of theirs
 */
function joinSteps(series: SeriesSteps, range: StepRange): SeriesSteps {
  if (areOnSteps(series.times, range)) return clipSteps(series, range);
  // Steps belong to the one that their beginning lies in, whatever the kind.
  const runs = stepRuns("gauge", series.times, range);
  const { seriesId } = series;
  const { times } = runs;
  if (series.kind === "counter") {
    const { increases } = series;
    const digits = scaleOf(increases);
    const sums = eachRun(runs, (from, to) => decimalsOf(sumOf(increases, from, to), digits));
    return { kind: "counter", seriesId, times, increases: sums };
  }
  if (series.kind === "histogram") {
    return { kind: "histogram", seriesId, times, histograms: mergedRuns(series.histograms, runs) };
  }
  const { counts, sums, mins, maxs, lasts } = series;
  const digits = scaleOf(sums);
  return {
    kind: "gauge",
    seriesId,
    times,
    counts: eachRun(runs, (from, to) => sumOf(counts, from, to)),
    sums: eachRun(runs, (from, to) => decimalsOf(sumOf(sums, from, to), digits)),
    mins: eachRun(runs, (from, to) => minOf(mins, from, to)),
    maxs: eachRun(runs, (from, to) => maxOf(maxs, from, to)),
    lasts: eachRun(runs, (_, to) => lasts[to - 1] ?? 0),
  };
}

/** Whether each is a step of the range already. */
function areOnSteps(times: Float64Array, { stepMs, originMs }: StepRange): boolean {
  for (let place = 0; place < times.length; place++) {
    const time = times[place] ?? 0;
    if ((time - originMs) % stepMs !== 0 || place > 0 && time === times[place - 1]) return false;
  }
  return true;
}

function clipSteps(series: SeriesSteps, { startMs, endMs }: StepRange): SeriesSteps {
  const { from, to } = placesWithin("gauge", series.times, startMs, endMs);
  if (from === 0 && to === series.times.length) return series;
  const clip = (column: Float64Array) => column.subarray(from, to);
  const times = clip(series.times);
  if (series.kind === "counter") return { ...series, times, increases: clip(series.increases) };
  if (series.kind === "histogram") {
    return { ...series, times, histograms: series.histograms.slice(from, to) };
  }
  return {
    ...series,
    times,
    counts: clip(series.counts),
    sums: clip(series.sums),
    mins: clip(series.mins),
    maxs: clip(series.maxs),
    lasts: clip(series.lasts),
  };
}

/**
 * Joins what is known of one series.
 *
 * @param parts by time, at least one
 * @param range the steps to join into
 */
export function joinAll(parts: readonly SeriesSteps[], range: StepRange): SeriesSteps {
  return joinSteps(concatenated(parts), range);
}

function concatenated(parts: readonly SeriesSteps[]): SeriesSteps {
  const [first] = parts;
  if (first === undefined) throw new Error("Cannot join: there is no series");
  if (parts.length === 1) return first;
  const times = joinedColumn(parts.map(({ times }) => times));
  if (first.kind === "counter") {
    const counters = parts.filter((part) => part.kind === "counter");
    return { ...first, times, increases: joinedColumn(counters.map(({ increases }) => increases)) };
  }
  if (first.kind === "histogram") {
    const histograms = parts.flatMap((part) => part.kind === "histogram" ? part.histograms : []);
    return { ...first, times, histograms };
  }
  const gauges = parts.filter((part) => part.kind === "gauge");
  return {
    ...first,
    times,
    counts: joinedColumn(gauges.map(({ counts }) => counts)),
    sums: joinedColumn(gauges.map(({ sums }) => sums)),
    mins: joinedColumn(gauges.map(({ mins }) => mins)),
    maxs: joinedColumn(gauges.map(({ maxs }) => maxs)),
    lasts: joinedColumn(gauges.map(({ lasts }) => lasts)),
  };
}
