import { EMPTY_HISTOGRAM, type Histogram, type SeriesSteps } from "../points.ts";
import { quantileOf } from "../histograms.ts";
import { type Aggregation, shareOf } from "../query_types.ts";
import { CounterFigures, type FigureSteps, type GroupFigures } from "./figures.ts";
import { labelOf, type Labels } from "../filter.ts";

/** The label of Prometheus' buckets: each counts what was observed up to a bound. */
const BOUND = "le";

/** Bounds of classic buckets, ascending; the last one is `Infinity` when it is there. */
export function classicBounds(series: Iterable<{ readonly labels: Labels }>): number[] {
  const bounds = new Set<number>();
  for (const { labels } of series) {
    const bound = boundOf(labels);
    if (bound !== null) bounds.add(bound);
  }
  return [...bounds].sort((some, other) => some - other);
}

/** Histograms that Prometheus counts as one counter for each bound. */
export class ClassicHistograms {
  readonly #counters: CounterFigures;
  readonly #places: ReadonlyMap<number, number>;

  constructor(groupCount: number, readonly bounds: readonly number[], steps: FigureSteps) {
    this.#counters = new CounterFigures("increase", groupCount * bounds.length, steps);
    this.#places = new Map(bounds.map((bound, place) => [bound, place]));
  }

  add(group: number, series: SeriesSteps, labels: Labels): void {
    const place = this.#places.get(boundOf(labels) ?? NaN);
    if (place !== undefined) this.#counters.add(group * this.bounds.length + place, series);
  }

  at(group: number, step: number): Histogram | null {
    return this.#histogram((bound) =>
      this.#counters.value(group * this.bounds.length + bound, step)
    );
  }

  whole(group: number): Histogram | null {
    return this.#histogram((bound) => this.#counters.whole(group * this.bounds.length + bound));
  }

  /** Counts up to a bound never fall with it, whatever came late. */
  #histogram(valueOf: (bound: number) => number | null): Histogram | null {
    const counts: number[] = [];
    let before = 0;
    let isEmpty = true;
    for (let place = 0; place < this.bounds.length; place++) {
      const value = valueOf(place);
      isEmpty &&= value === null;
      const reached = Math.max(before, value ?? 0);
      counts.push(reached - before);
      before = reached;
    }
    if (isEmpty || this.bounds.at(-1) !== Infinity) return null;
    const bounds = this.bounds.slice(0, -1);
    const buckets = { kind: "explicit" as const, bounds, counts };
    return { ...EMPTY_HISTOGRAM, count: before, sum: null, buckets };
  }
}

/** Quantiles of classic buckets. */
export class ClassicFigures implements GroupFigures {
  readonly isCoarsened = false;
  readonly #histograms: ClassicHistograms;

  constructor(
    readonly aggregation: Aggregation,
    groupCount: number,
    bounds: readonly number[],
    steps: FigureSteps,
  ) {
    this.#histograms = new ClassicHistograms(groupCount, bounds, steps);
  }

  add(group: number, series: SeriesSteps, labels: Labels): void {
    this.#histograms.add(group, series, labels);
  }

  value(group: number, place: number): number | null {
    return this.#quantile(this.#histograms.at(group, place));
  }

  whole(group: number): number | null {
    return this.#quantile(this.#histograms.whole(group));
  }

  #quantile(histogram: Histogram | null): number | null {
    return histogram === null ? null : quantileOf(histogram, shareOf(this.aggregation) ?? 0.5);
  }
}

function boundOf(labels: Labels): number | null {
  const text = labelOf(labels, BOUND).trim();
  if (/^\+?inf$/i.test(text)) return Infinity;
  const bound = text === "" ? NaN : Number(text);
  return Number.isFinite(bound) ? bound : null;
}
