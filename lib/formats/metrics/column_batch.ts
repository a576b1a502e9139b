import type {
  BatchColumns,
  MetricBatch,
  MetricSeries,
  NumberPoint,
  SeriesIdentity,
  SeriesLayout,
} from "../../records/metric_batch.ts";

/** In points: what is grown is copied, and what is too large is cleared for nothing. */
const FIRST_ROOM = { min: 1_024, max: 16_384 };
/** Of the last request: the next one is often like it. */
let lastLength = 0;
/** Tells requests apart: a series that comes again in the same one is seen by its number. */
let requests = 0;

/** Points of numbers of which each is of another series, column by column: nothing is made for each of them. */
export class GrowingColumns {
  readonly #request = ++requests;
  /** What the last request had that began like this one, as long as this one goes on like it; then its series are there. */
  #layout: SeriesLayout | null = null;
  #series: SeriesIdentity[] = [];
  #length = 0;
  /** Series that are not in the columns, each with the number of those in front of it. */
  readonly #others = new Map<MetricSeries, number>();
  #times = new Float64Array();
  #starts = new Float64Array();
  #values = new Float64Array();
  #labelCharacters = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Notes where a series begins that is kept beside the columns. */
  begin(series: MetricSeries): void {
    this.#others.set(series, this.#length);
  }

  /** Adds a point. @returns false, and nothing done, when the series has one already */
  add(series: SeriesIdentity, timeMs: number, startMs: number, value: number): boolean {
    if (series.request === this.#request) return false;
    series.request = this.#request;
    const place = this.#length++;
    if (place === 0) this.#layout = layouts.get(series) ?? null;
    if (this.#layout?.series[place] !== series) this.#leaveLayout(place).push(series);
    if (place >= this.#times.length) this.#grow();
    this.#times[place] = timeMs;
    this.#starts[place] = startMs;
    this.#values[place] = value;
    this.#labelCharacters += series.labelCharacters;
    return true;
  }

  /** @returns the series in front of a place, to which others are added from now on */
  #leaveLayout(place: number): SeriesIdentity[] {
    if (this.#layout !== null) this.#series = this.#layout.series.slice(0, place);
    this.#layout = null;
    return this.#series;
  }

  #grow(): void {
    const { length: taken } = this.#times;
    const { min, max } = FIRST_ROOM;
    const length = taken > 0 ? 2 * taken : Math.min(Math.max(min, lastLength), max);
    const larger = (column: Float64Array) => {
      const grown = new Float64Array(length);
      grown.set(column);
      return grown;
    };
    this.#times = larger(this.#times);
    this.#starts = larger(this.#starts);
    this.#values = larger(this.#values);
  }

  /** Whether the labels of all series together, and of these, have no more characters than a request may. */
  isIn(others: readonly MetricSeries[], limit: number): boolean {
    let count = this.#labelCharacters;
    for (const { shape, labels } of others) {
      // Those that came one by one may be in the columns as well.
      if (shape === "number") return false;
      for (const [key, value] of labels) count += key.length + value.length;
    }
    return count <= limit;
  }

  /** Visits what lies in the columns and, where they began, the series beside them. */
  visit(
    others: readonly MetricSeries[],
    other: (series: MetricSeries) => void,
    point: (series: SeriesIdentity, point: NumberPoint) => void,
  ): void {
    let next = 0;
    const visitOthers = (until: number) => {
      for (; next < others.length; next++) {
        const series = others[next];
        if (series === undefined || (this.#others.get(series) ?? 0) > until) return;
        other(series);
      }
    };
    const all = this.#layout?.series ?? this.#series;
    for (let place = 0; place < this.#length; place++) {
      const series = all[place];
      if (series === undefined) break;
      visitOthers(place);
      point(series, {
        timeMs: this.#times[place] ?? 0,
        startMs: this.#starts[place] ?? 0,
        value: this.#values[place] ?? 0,
      });
    }
    visitOthers(this.#length);
  }

  /** The one layout of these series, as long as requests with others do not come between. */
  #finishedLayout(): SeriesLayout {
    if (this.#layout?.series.length === this.#length) return this.#layout;
    const layout = { series: this.#leaveLayout(this.#length) };
    const [first] = layout.series;
    if (first !== undefined) layouts.set(first, layout);
    return layout;
  }

  /** @param others series that are beside the columns */
  finished(others: readonly MetricSeries[]): BatchColumns {
    const length = this.#length;
    lastLength = length;
    return {
      numbers: {
        layout: this.#finishedLayout(),
        times: this.#times.subarray(0, length),
        starts: this.#starts.subarray(0, length),
        values: this.#values.subarray(0, length),
      },
      others,
    };
  }
}

/** By the first series, what the last request had that began with it. */
const layouts = new WeakMap<SeriesIdentity, SeriesLayout>();

type Facts = Omit<MetricBatch, "series" | "columns">;

/** A batch in columns. */
export class ColumnBatch implements MetricBatch {
  readonly kind = "metrics";
  readonly batchId: string;
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly pointCount: number;
  readonly columns: BatchColumns;
  readonly #growing: GrowingColumns;
  #series: readonly MetricSeries[] | null = null;

  constructor(facts: Facts, columns: GrowingColumns, others: readonly MetricSeries[]) {
    this.batchId = facts.batchId;
    this.timestamp = facts.timestamp;
    this.receivedAt = facts.receivedAt;
    this.pointCount = facts.pointCount;
    this.columns = columns.finished(others);
    this.#growing = columns;
  }

  get series(): readonly MetricSeries[] {
    return this.#series ??= this.#made();
  }

  /** Whoever prints it wants to see the series. */
  toJSON(): MetricBatch {
    const { kind, batchId, timestamp, receivedAt, pointCount, series } = this;
    return { kind, batchId, timestamp, receivedAt, pointCount, series };
  }

  #made(): MetricSeries[] {
    const made: MetricSeries[] = [];
    this.#growing.visit(
      this.columns.others,
      (series) => made.push(series),
      ({ metric, temporality, labels }, point) =>
        made.push({ shape: "number", metric, temporality, labels, exemplars: [], points: [point] }),
    );
    return made;
  }
}
