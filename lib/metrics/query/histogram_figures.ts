import type { Histogram } from "../histogram.ts";
import { quantileOf } from "../quantile.ts";
import { HistogramSum } from "../sum.ts";
import type { SeriesSteps } from "../points.ts";
import type { Aggregation } from "../query_types.ts";
import { type FigureSteps, type GroupFigures, placeOf } from "./group_figures.ts";
import { shareOf } from "../quantiles.ts";

/** What histograms tell by their buckets: quantiles, the lowest and the highest. */
export class HistogramFigures implements GroupFigures {
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
    const { times, histograms } = series;
    for (let at = 0; at < times.length; at++) {
      const place = placeOf(times[at] ?? 0, this.steps);
      const histogram = histograms[at];
      if (place < 0 || place >= this.steps.count || histogram === undefined) continue;
      (this.#sums[group * this.steps.count + place] ??= new HistogramSum()).add(histogram);
    }
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
