import type { GaugeSteps, SeriesSteps } from "../points.ts";
import type { Aggregation } from "../query_types.ts";
import { Folded, foldOf } from "./folded.ts";
import { type FigureSteps, type GroupFigures, placeOf } from "./group_figures.ts";

/**
 * Gauges. A series' level stays for one step that has no point of it, where steps are hardly longer than points are
 * apart: else sums over series would jump with every point that comes a moment late.
 */
export class GaugeFigures implements GroupFigures {
  readonly isCoarsened = false;
  readonly #values: Folded;
  readonly #wholes: Folded;

  constructor(
    readonly aggregation: Aggregation,
    groupCount: number,
    readonly steps: FigureSteps,
  ) {
    const fold = foldOf(aggregation);
    this.#values = new Folded(groupCount, steps.count, fold);
    this.#wholes = new Folded(groupCount, 1, fold);
  }

  add(group: number, series: SeriesSteps): void {
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
      this.#values.add(group, place, figure);
      if (bridges && next !== place + 1 && this.#goesOn(place, isLast ? null : next)) {
        this.#values.add(group, place + 1, figure);
      }
    }
    const whole = this.#whole(series);
    if (whole !== null) this.#wholes.add(group, 0, whole);
  }

  value(group: number, place: number): number | null {
    return this.#values.value(group, place);
  }

  whole(group: number): number | null {
    return this.#wholes.value(group, 0);
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

  /** Of all points, or null when there are none. */
  #whole(series: GaugeSteps): number | null {
    const { counts, sums, mins, maxs, lasts } = series;
    if (counts.length === 0) return null;
    switch (this.aggregation) {
      case "min":
        return mins.reduce((least, value) => Math.min(least, value), Infinity);
      case "max":
        return maxs.reduce((most, value) => Math.max(most, value), -Infinity);
      case "last":
        return lasts.at(-1) ?? null;
      case "count":
        return sumOf(counts);
      default:
        return sumOf(sums) / sumOf(counts);
    }
  }
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
