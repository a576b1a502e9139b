import type { SeriesSteps } from "../points.ts";
import type { Aggregation } from "../query_types.ts";
import { type FigureSteps, type GroupFigures, placeOf } from "./group_figures.ts";
import { secondsOf, wholeSecondsOf } from "./seconds.ts";

/** What histograms tell without their buckets: how many observations, their sum and their mean. */
export class HistogramNumbers implements GroupFigures {
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
    const { times, histograms } = series;
    for (let at = 0; at < times.length; at++) {
      const place = placeOf(times[at] ?? 0, this.steps);
      const histogram = histograms[at];
      if (place < 0 || place >= this.steps.count || histogram === undefined) continue;
      const target = group * this.steps.count + place;
      this.#counts[target] = (this.#counts[target] ?? 0) + histogram.count;
      this.#sums[target] = (this.#sums[target] ?? 0) + (histogram.sum ?? NaN);
      this.#isSeen[target] = 1;
    }
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
