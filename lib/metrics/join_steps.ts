/** Steps that are known become longer ones. */
import { decimalsOf, scaleOf } from "./codec/decimals.ts";
import { joinedColumn } from "./list_column.ts";
import type { SeriesSteps } from "./points.ts";
import { mergedRuns } from "./rollup.ts";
import {
  eachRun,
  maxOf,
  minOf,
  placesWithin,
  type StepRange,
  stepRuns,
  sumOf,
} from "./step_runs.ts";

/**
 * Joins shorter steps into longer ones, as minutes into hours, and parts of one step, which begin alike.
 *
 * @param range its step is a multiple of theirs
 */
export function joinSteps(series: SeriesSteps, range: StepRange): SeriesSteps {
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
