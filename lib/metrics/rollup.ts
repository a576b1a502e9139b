/** Adds points up by step. The same for rollups that are stored and for questions, so that both agree. */
import type { MetricKind } from "../records/metric_batch.ts";
import { decimalsOf, scaleOf } from "./codec/columns.ts";
import { foldPoints, foldSteps, newCells } from "./gauge_cells.ts";
import { mergedRuns } from "./histograms.ts";
import { type Counted, histogramIncreasesOf, increasesOf } from "./increases.ts";
import {
  type CounterSteps,
  type GaugeSteps,
  type HistogramSteps,
  joined,
  type RawHistograms,
  type RawNumbers,
  type RawSeries,
  type SeriesSteps,
} from "./points.ts";
import { clip, eachRun, type StepRange, type StepRuns, stepRuns, sumOf } from "./slots.ts";

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
  const cells = newCells(runs.times.length);
  foldPoints(values, 0, runs.edges, cells, 0);
  return { kind: "gauge", seriesId, times: runs.times, ...cells };
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
  const cells = newCells(times.length);
  foldSteps(series, runs.edges, cells, 0);
  return { kind: "gauge", seriesId, times, ...cells };
}

/** Whether each is a step of the range already. */
function areOnSteps(times: Float64Array, { stepMs, originMs }: StepRange): boolean {
  for (let place = 0; place < times.length; place++) {
    const time = times[place] ?? 0;
    if ((time - originMs) % stepMs !== 0 || place > 0 && time === times[place - 1]) return false;
  }
  return true;
}

/** @param digits behind the point that all parts of the sums have; -1: any */
function runSums(runs: StepRuns, values: Float64Array, digits = scaleOf(values)): Float64Array {
  return eachRun(runs, (from, to) => decimalsOf(sumOf(values, from, to), digits));
}
