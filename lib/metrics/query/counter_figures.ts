import type { SeriesSteps } from "../points.ts";
import type { Aggregation } from "../query_types.ts";
import { Folded, foldOf } from "./folded.ts";
import { type FigureSteps, type GroupFigures, placeOf } from "./group_figures.ts";
import { secondsOf, wholeSecondsOf } from "./seconds.ts";

/** Counters: what their series grew by, or how fast. `count` is how many series reported. */
export class CounterFigures implements GroupFigures {
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
    if (series.kind !== "counter") return;
    const { times, increases } = series;
    const isCount = this.aggregation === "count";
    let whole = 0;
    for (let at = 0; at < times.length; at++) {
      const place = placeOf(times[at] ?? 0, this.steps);
      if (place < 0 || place >= this.steps.count) continue;
      const increase = increases[at] ?? 0;
      whole += increase;
      this.#values.add(group, place, isCount ? 1 : increase);
    }
    if (times.length > 0) this.#wholes.add(group, 0, isCount ? 1 : whole);
  }

  value(group: number, place: number): number | null {
    const value = this.#values.value(group, place);
    if (value === null || !this.#isRate()) return value;
    const seconds = secondsOf(place, this.steps);
    return seconds === null ? null : value / seconds;
  }

  whole(group: number): number | null {
    const value = this.#wholes.value(group, 0);
    return value === null || !this.#isRate() ? value : value / wholeSecondsOf(this.steps);
  }

  #isRate(): boolean {
    return this.aggregation !== "increase" && this.aggregation !== "count";
  }
}
