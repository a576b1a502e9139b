/** Adds points up by step. The same for rollups that are stored and for questions, so that both agree. */
import type { MetricKind } from "../records/metric_batch.ts";
import { decimalsOf, scaleOf } from "./codec/columns.ts";
import { mergedRuns } from "./histograms.ts";
import { type Counted, histogramIncreasesOf, increasesOf } from "./increases.ts";
import {
  type CounterSteps,
  type GaugeSteps,
  type HistogramSteps,
  joined,
  newColumn,
  type RawHistograms,
  type RawNumbers,
  type RawSeries,
  type SeriesSteps,
} from "./points.ts";
import {
  clip,
  eachRun,
  maxOf,
  minOf,
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
  const { seriesId, times, values, temporality } = series;
  const increases = temporality === "cumulative"
    ? increasesOf(series, usualIntervalMs, counted)
    : values;
  const runs = stepRuns("counter", times, range);
  return {
    kind: "counter",
    seriesId,
    times: runs.times,
    increases: runSums(runs, increases, scaleOf(values)),
  };
}

function gaugeSteps({ seriesId, times, values }: RawNumbers, range: StepRange): GaugeSteps {
  const runs = stepRuns("gauge", times, range);
  const first = runs.edges[0] ?? 0;
  const last = runs.edges.at(-1) ?? 0;
  if (last - first === runs.times.length) {
    // A point a step: it is all that there is to tell.
    const lasts = values.subarray(first, last);
    const counts = newColumn(lasts.length).fill(1);
    return gauge(seriesId, runs.times, (name) => name === "counts" ? counts : lasts);
  }
  return { kind: "gauge", seriesId, times: runs.times, ...foldPoints(runs, values) };
}

/** All columns of a gauge, in one pass over its points. */
function foldPoints({ edges }: StepRuns, values: Float64Array) {
  const count = edges.length - 1;
  const counts = newColumn(count);
  const sums = newColumn(count);
  const mins = newColumn(count);
  const maxs = newColumn(count);
  const lasts = newColumn(count);
  const digits = scaleOf(values);
  for (let run = 0; run < count; run++) {
    const from = edges[run] ?? 0;
    const to = edges[run + 1] ?? 0;
    let sum = 0;
    let min = Infinity;
    let max = -Infinity;
    for (let place = from; place < to; place++) {
      const value = values[place] ?? 0;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    counts[run] = to - from;
    sums[run] = decimalsOf(sum, digits);
    mins[run] = min;
    maxs[run] = max;
    lasts[run] = values[to - 1] ?? 0;
  }
  return { counts, sums, mins, maxs, lasts };
}

function histogramSteps(
  series: RawHistograms,
  range: StepRange,
  usualIntervalMs: number,
  counted?: Counted,
): HistogramSteps {
  const { seriesId, times, values, temporality } = series;
  const parts = temporality === "cumulative"
    ? histogramIncreasesOf(series, usualIntervalMs, counted)
    : values;
  const runs = stepRuns("histogram", times, range);
  return {
    kind: "histogram",
    seriesId,
    times: runs.times,
    histograms: mergedRuns(parts, runs.edges),
  };
}

/**
 * Joins what is known of one series: shorter steps into longer ones, as minutes into hours, and parts of one step, which
 * begin alike.
 *
 * @param parts by time, at least one
 * @param range its step is a multiple of theirs
 */
export function joinAll(parts: readonly SeriesSteps[], range: StepRange): SeriesSteps {
  const series = joined(parts);
  // Steps are at their beginnings, whatever the kind.
  if (areOnSteps(series.times, range)) return clip(series, "gauge", range.startMs, range.endMs);
  // Steps belong to the one that their beginning lies in, whatever the kind.
  const runs = stepRuns("gauge", series.times, range);
  const { seriesId } = series;
  const { times } = runs;
  if (series.kind === "counter") {
    const { increases } = series;
    return { kind: "counter", seriesId, times, increases: runSums(runs, increases) };
  }
  if (series.kind === "histogram") {
    return {
      kind: "histogram",
      seriesId,
      times,
      histograms: mergedRuns(series.histograms, runs.edges),
    };
  }
  return gauge(seriesId, times, (name) => foldRuns(runs, name, series[name]));
}

/** Whether each is a step of the range already. */
function areOnSteps(times: Float64Array, { stepMs, originMs }: StepRange): boolean {
  for (let place = 0; place < times.length; place++) {
    const time = times[place] ?? 0;
    if ((time - originMs) % stepMs !== 0 || place > 0 && time === times[place - 1]) return false;
  }
  return true;
}

type GaugeColumn = "counts" | "sums" | "mins" | "maxs" | "lasts";

/** A gauge of which every column is made alike. */
function gauge(
  seriesId: string,
  times: Float64Array,
  column: (name: GaugeColumn) => Float64Array,
): GaugeSteps {
  return {
    kind: "gauge",
    seriesId,
    times,
    counts: column("counts"),
    sums: column("sums"),
    mins: column("mins"),
    maxs: column("maxs"),
    lasts: column("lasts"),
  };
}

/** A column of a gauge by longer steps. */
function foldRuns(runs: StepRuns, name: GaugeColumn, values: Float64Array): Float64Array {
  switch (name) {
    case "counts":
      return eachRun(runs, (from, to) => sumOf(values, from, to));
    case "sums":
      return runSums(runs, values);
    case "mins":
      return eachRun(runs, (from, to) => minOf(values, from, to));
    case "maxs":
      return eachRun(runs, (from, to) => maxOf(values, from, to));
    case "lasts":
      return eachRun(runs, (_, to) => values[to - 1] ?? 0);
  }
}

/** @param digits behind the point that all parts of the sums have; -1: any */
function runSums(runs: StepRuns, values: Float64Array, digits = scaleOf(values)): Float64Array {
  return eachRun(runs, (from, to) => decimalsOf(sumOf(values, from, to), digits));
}
