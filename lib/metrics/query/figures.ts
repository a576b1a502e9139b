import type { MetricKind } from "../../records/metric_batch.ts";
import type { Labels } from "../filter.ts";
import type { GaugeColumn } from "../gauge_cells.ts";
import { HistogramSum, quantileOf } from "../histograms.ts";
import type { GaugeSteps, Histogram, HistogramSteps, SeriesSteps } from "../points.ts";
import { type Aggregation, isQuantile, shareOf } from "../query_types.ts";
import { maxOf, minOf, sumOf } from "../slots.ts";
import type { Steps } from "./steps.ts";

/** What groups of series come to, step by step and over the whole time; series are added one after the other. */
export interface GroupFigures {
  /** @param steps of one series, ascending */
  add(group: number, steps: SeriesSteps, labels: Labels): void;
  /** @param place of a step; null where the group has nothing */
  value(group: number, place: number): number | null;
  /** As though the whole time were one step. */
  whole(group: number): number | null;
  /** Whether histograms were merged that do not have the same bounds. */
  readonly isCoarsened: boolean;
}

/** How the steps lie, and what is known of the points in them. */
export interface FigureSteps extends Steps {
  /** How often points come; 0: unknown. */
  readonly usualIntervalMs: number;
  /** The step that holds it is not over. */
  readonly nowMs: number;
}

/** Figures for a kind of metric and an aggregation that it has. */
export function groupFigures(
  kind: MetricKind,
  aggregation: Aggregation,
  groupCount: number,
  steps: FigureSteps,
): GroupFigures {
  if (kind === "gauge") return new GaugeFigures(aggregation, groupCount, steps);
  if (kind === "counter") return new CounterFigures(aggregation, groupCount, steps);
  const needsBuckets = isQuantile(aggregation) || aggregation === "min" || aggregation === "max";
  return needsBuckets
    ? new HistogramFigures(aggregation, groupCount, steps)
    : new HistogramNumbers(aggregation, groupCount, steps);
}

/** The step that a beginning of a minute, an hour or a step lies in; outside of 0 … count - 1 for other times. */
function placeOf(timeMs: number, { startMs, stepMs }: Steps): number {
  return Math.floor((timeMs - startMs) / stepMs);
}

/** Visits the histograms of a series that lie within the steps, each with the place of its step. */
export function eachHistogram(
  { times, histograms }: HistogramSteps,
  steps: Steps,
  visit: (place: number, histogram: Histogram) => void,
): void {
  for (const [at, histogram] of histograms.entries()) {
    const place = placeOf(times[at] ?? 0, steps);
    if (place >= 0 && place < steps.count) visit(place, histogram);
  }
}

/** What counters and gauges share: each series gives one number a step, and the numbers of a group fold into one. */
abstract class FoldedFigures implements GroupFigures {
  readonly isCoarsened = false;
  protected readonly values: Folded;
  protected readonly wholes: Folded;

  constructor(
    readonly aggregation: Aggregation,
    groupCount: number,
    readonly steps: FigureSteps,
  ) {
    this.values = new Folded(groupCount, steps.count, aggregation);
    this.wholes = new Folded(groupCount, 1, aggregation);
  }

  abstract add(group: number, series: SeriesSteps): void;

  value(group: number, place: number): number | null {
    return this.values.value(group, place);
  }

  whole(group: number): number | null {
    return this.wholes.value(group, 0);
  }
}

/** Counters: what their series grew by, or how fast. `count` is how many series reported. */
export class CounterFigures extends FoldedFigures {
  override add(group: number, series: SeriesSteps): void {
    if (series.kind !== "counter") return;
    const { times, increases } = series;
    const isCount = this.aggregation === "count";
    let whole = 0;
    for (let at = 0; at < times.length; at++) {
      const place = placeOf(times[at] ?? 0, this.steps);
      if (place < 0 || place >= this.steps.count) continue;
      const increase = increases[at] ?? 0;
      whole += increase;
      this.values.add(group, place, isCount ? 1 : increase);
    }
    if (times.length > 0) this.wholes.add(group, 0, isCount ? 1 : whole);
  }

  override value(group: number, place: number): number | null {
    const value = super.value(group, place);
    if (value === null || !this.#isRate()) return value;
    const seconds = secondsOf(place, this.steps);
    return seconds === null ? null : value / seconds;
  }

  override whole(group: number): number | null {
    const value = super.whole(group);
    return value === null || !this.#isRate() ? value : value / wholeSecondsOf(this.steps);
  }

  #isRate(): boolean {
    return this.aggregation !== "increase" && this.aggregation !== "count";
  }
}

/**
 * Gauges. A series' level stays for one step that has no point of it, where steps are hardly longer than points are
 * apart: else sums over series would jump with every point that comes a moment late.
 */
class GaugeFigures extends FoldedFigures {
  override add(group: number, series: SeriesSteps): void {
    if (series.kind !== "gauge") return;
    const { times } = series;
    const bridges = this.#bridges();
    const { count } = this.steps;
    let next = times.length === 0 ? 0 : placeOf(times[0] ?? 0, this.steps);
    for (let at = 0; at < times.length; at++) {
      const place = next;
      const isLast = at === times.length - 1;
      if (!isLast) next = placeOf(times[at + 1] ?? 0, this.steps);
      if (place < 0 || place >= count) continue;
      const figure = this.#figure(series, at);
      this.values.add(group, place, figure);
      if (bridges && next !== place + 1 && this.#goesOn(place, isLast ? null : next)) {
        this.values.add(group, place + 1, figure);
      }
    }
    if (times.length > 0) this.wholes.add(group, 0, this.#whole(series));
  }

  #bridges(): boolean {
    const { aggregation, steps } = this;
    return ["avg", "sum", "last"].includes(aggregation) &&
      steps.stepMs <= 2 * steps.usualIntervalMs;
  }

  /** Whether the series has no point in the step after this one, and goes on after it, or may still in it. */
  #goesOn(place: number, next: number | null): boolean {
    const { startMs, stepMs, nowMs, count } = this.steps;
    if (place + 1 >= count) return false;
    if (next !== null) return next === place + 2;
    return startMs + (place + 1) * stepMs <= nowMs && startMs + (place + 2) * stepMs > nowMs;
  }

  #figure({ counts, sums, mins, maxs, lasts }: GaugeSteps, at: number): number {
    const count = counts[at] ?? 1;
    switch (this.aggregation) {
      case "min":
        return mins[at] ?? 0;
      case "max":
        return maxs[at] ?? 0;
      case "last":
        return lasts[at] ?? 0;
      case "count":
        return count;
      default:
        return (sums[at] ?? 0) / count;
    }
  }

  /** Of all points, of which there are some. */
  #whole({ counts, sums, mins, maxs, lasts }: GaugeSteps): number {
    const { length } = counts;
    switch (this.aggregation) {
      case "min":
        return minOf(mins, 0, length);
      case "max":
        return maxOf(maxs, 0, length);
      case "last":
        return lasts[length - 1] ?? 0;
      case "count":
        return sumOf(counts, 0, length);
      default:
        return sumOf(sums, 0, length) / sumOf(counts, 0, length);
    }
  }
}

/** What a gauge's figures are made of, beside its counts. */
export function columnsFor(aggregation: Aggregation): readonly GaugeColumn[] {
  switch (aggregation) {
    case "min":
      return ["mins"];
    case "max":
      return ["maxs"];
    case "last":
      return ["lasts"];
    case "count":
      return [];
    default:
      return ["sums"];
  }
}

/** How the figures of a group's series become one; those of other aggregations add up. */
const FOLDS: Readonly<Partial<Record<Aggregation, "mean" | "least" | "greatest">>> = {
  avg: "mean",
  min: "least",
  max: "greatest",
};

/** One number for each group and place, made of any number of values. */
class Folded {
  readonly #fold: "add" | "mean" | "least" | "greatest";
  readonly #values: Float64Array;
  readonly #seen: Uint32Array;

  constructor(groupCount: number, readonly placeCount: number, aggregation: Aggregation) {
    this.#fold = FOLDS[aggregation] ?? "add";
    this.#values = new Float64Array(groupCount * placeCount);
    this.#seen = new Uint32Array(groupCount * placeCount);
  }

  add(group: number, place: number, value: number): void {
    const at = group * this.placeCount + place;
    const seen = this.#seen[at] ?? 0;
    this.#seen[at] = seen + 1;
    const held = this.#values[at] ?? 0;
    if (seen === 0) this.#values[at] = value;
    else if (this.#fold === "least") this.#values[at] = value < held ? value : held;
    else if (this.#fold === "greatest") this.#values[at] = value > held ? value : held;
    else this.#values[at] = held + value;
  }

  /** Null where nothing was added. */
  value(group: number, place: number): number | null {
    const at = group * this.placeCount + place;
    const seen = this.#seen[at] ?? 0;
    if (seen === 0) return null;
    const value = this.#values[at] ?? 0;
    return this.#fold === "mean" ? value / seen : value;
  }
}

/** What histograms tell by their buckets: quantiles, the lowest and the highest. */
class HistogramFigures implements GroupFigures {
  readonly #sums: (HistogramSum | undefined)[];
  /** Of sums that nothing is added to any more. */
  readonly #results: (Histogram | null)[];

  constructor(
    readonly aggregation: Aggregation,
    groupCount: number,
    readonly steps: FigureSteps,
  ) {
    this.#sums = new Array(groupCount * steps.count);
    this.#results = new Array(groupCount * steps.count);
  }

  get isCoarsened(): boolean {
    return this.#sums.some((sum) => sum?.isCoarsened === true);
  }

  add(group: number, series: SeriesSteps): void {
    if (series.kind !== "histogram") return;
    const first = group * this.steps.count;
    eachHistogram(series, this.steps, (place, histogram) => {
      (this.#sums[first + place] ??= new HistogramSum()).add(histogram);
    });
  }

  value(group: number, place: number): number | null {
    const histogram = this.#result(group, place);
    return histogram === null ? null : this.#figure(histogram);
  }

  whole(group: number): number | null {
    const whole = new HistogramSum();
    for (let place = 0; place < this.steps.count; place++) {
      const histogram = this.#result(group, place);
      if (histogram !== null) whole.add(histogram);
    }
    return this.#figure(whole.result());
  }

  #result(group: number, place: number): Histogram | null {
    const at = group * this.steps.count + place;
    return this.#results[at] ??= this.#sums[at]?.result() ?? null;
  }

  #figure(histogram: Histogram): number | null {
    if (this.aggregation === "min") return histogram.min;
    if (this.aggregation === "max") return histogram.max;
    return quantileOf(histogram, shareOf(this.aggregation) ?? 0.5);
  }
}

/** What histograms tell without their buckets: how many observations, their sum and their mean. */
class HistogramNumbers implements GroupFigures {
  readonly isCoarsened = false;
  readonly #counts: Float64Array;
  /** NaN: some histogram came without. */
  readonly #sums: Float64Array;
  readonly #isSeen: Uint8Array;

  constructor(
    readonly aggregation: Aggregation,
    groupCount: number,
    readonly steps: FigureSteps,
  ) {
    const length = groupCount * steps.count;
    this.#counts = new Float64Array(length);
    this.#sums = new Float64Array(length);
    this.#isSeen = new Uint8Array(length);
  }

  add(group: number, series: SeriesSteps): void {
    if (series.kind !== "histogram") return;
    const first = group * this.steps.count;
    eachHistogram(series, this.steps, (place, { count, sum }) => {
      const at = first + place;
      this.#counts[at] = (this.#counts[at] ?? 0) + count;
      this.#sums[at] = (this.#sums[at] ?? 0) + (sum ?? NaN);
      this.#isSeen[at] = 1;
    });
  }

  value(group: number, place: number): number | null {
    const at = group * this.steps.count + place;
    if (this.#isSeen[at] === 0) return null;
    const seconds = this.aggregation === "rate" ? secondsOf(place, this.steps) : null;
    return this.#figure(this.#counts[at] ?? 0, this.#sums[at] ?? 0, seconds);
  }

  whole(group: number): number | null {
    let [count, sum, isEmpty] = [0, 0, true];
    const first = group * this.steps.count;
    for (let at = first; at < first + this.steps.count; at++) {
      if (this.#isSeen[at] === 0) continue;
      count += this.#counts[at] ?? 0;
      sum += this.#sums[at] ?? 0;
      isEmpty = false;
    }
    return isEmpty ? null : this.#figure(count, sum, wholeSecondsOf(this.steps));
  }

  #figure(count: number, sum: number, seconds: number | null): number | null {
    switch (this.aggregation) {
      case "avg":
        return count === 0 || Number.isNaN(sum) ? null : sum / count;
      case "sum":
        return Number.isNaN(sum) ? null : sum;
      case "rate":
        return seconds === null ? null : count / seconds;
      default:
        return count;
    }
  }
}

/** A step that is not over is divided by what has passed of it once so many points of a series may be in it. */
const POINTS_ENOUGH = 4;

/**
 * How long a step is for rates, in seconds: of the one that is not over yet what has passed of it. Null when that is so
 * little that a rate would be chance.
 */
function secondsOf(place: number, steps: FigureSteps): number | null {
  const beginMs = steps.startMs + place * steps.stepMs;
  const passedMs = steps.nowMs - beginMs;
  if (passedMs >= steps.stepMs) return steps.stepMs / 1_000;
  const isEnough = passedMs >= POINTS_ENOUGH * Math.max(steps.usualIntervalMs, 1_000);
  return isEnough ? passedMs / 1_000 : null;
}

/** How long the time is that is over, in seconds; at least a step. */
function wholeSecondsOf({ startMs, endMs, stepMs, nowMs }: FigureSteps): number {
  return Math.max(Math.min(endMs, nowMs) - startMs, Math.min(stepMs, endMs - startMs)) / 1_000;
}

/** How many steps lie in the time that is over, with fractions. */
export function wholeStepsOf(steps: FigureSteps): number {
  return wholeSecondsOf(steps) * 1_000 / steps.stepMs;
}
