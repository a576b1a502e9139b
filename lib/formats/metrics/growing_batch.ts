import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type {
  Batch,
  Exemplar,
  HistogramPoint,
  Metric,
  MetricSeries,
  NumberPoint,
  SeriesIdentity,
  Temporality,
} from "../../records/mod.ts";
import { OutcomeTally } from "../outcome_tally.ts";
import type { DecodeContext } from "../decode_context.ts";
import { recordId } from "../ids.ts";
import { ColumnBatch, GrowingColumns } from "./column_batch.ts";
import { type Fault, LIMITS } from "./limits.ts";
import type { Labels } from "./label_book.ts";

interface Growing<T> {
  readonly metric: Metric;
  readonly temporality: Temporality;
  readonly labels: Labels;
  readonly points: T[];
  /** Shared by all series that have none. */
  exemplars: Exemplar[];
}

/** A series of numbers to which points are added. */
export interface GrowingNumbers extends Growing<NumberPoint> {
  readonly shape: "number";
}

/** A series of histograms to which points are added. */
export interface GrowingHistograms extends Growing<HistogramPoint> {
  readonly shape: "histogram";
}

/** Examples may come by themselves, apart from the points that they belong to. */
function isFilled({ points, exemplars }: MetricSeries): boolean {
  return points.length > 0 || exemplars.length > 0;
}

const NO_EXEMPLARS: Exemplar[] = [];

/** A metric of a request, by whose labels and temporality its points find their series. */
export class GrowingMetric {
  readonly #series = new Map<Temporality, Map<Labels, GrowingNumbers | GrowingHistograms>>();

  /** @param begin takes a series that is new in the request */
  constructor(readonly metric: Metric, private readonly begin: (series: MetricSeries) => void) {}

  /** The series of a counter or gauge. */
  numbers(temporality: Temporality, labels: Labels): GrowingNumbers {
    const known = this.#of(temporality).get(labels);
    if (known?.shape === "number") return known;
    return this.#begin({ ...this.#newSeries(temporality, labels), shape: "number", points: [] });
  }

  /** The series of a histogram. */
  histograms(temporality: Temporality, labels: Labels): GrowingHistograms {
    const known = this.#of(temporality).get(labels);
    if (known?.shape === "histogram") return known;
    return this.#begin({ ...this.#newSeries(temporality, labels), shape: "histogram", points: [] });
  }

  #newSeries(temporality: Temporality, labels: Labels) {
    return { metric: this.metric, temporality, labels, exemplars: NO_EXEMPLARS };
  }

  #begin<T extends GrowingNumbers | GrowingHistograms>(series: T): T {
    this.begin(series);
    this.#of(series.temporality).set(series.labels, series);
    return series;
  }

  #of(temporality: Temporality) {
    let series = this.#series.get(temporality);
    if (series === undefined) {
      series = new Map();
      this.#series.set(temporality, series);
    }
    return series;
  }
}

/** Collects the points of one request: equal series become one, what is rejected is counted. */
export class GrowingBatch {
  readonly tally = new OutcomeTally();
  readonly #series: MetricSeries[] = [];
  readonly #metrics = new Map<string, GrowingMetric>();
  readonly #earliest: number;
  readonly #latest: number;
  /** Points of series that came once; null: some came more often, or with examples, and all are in `#series`. */
  #columns: GrowingColumns | null = new GrowingColumns();
  #firstMs = Infinity;
  #points = 0;
  #exemplars = 0;

  constructor(private readonly context: DecodeContext) {
    const now = context.receivedAt.getTime();
    this.#earliest = now - context.retentionDays * DAY_MS;
    this.#latest = now + HOUR_MS;
  }

  /** The metric of this name, kind and unit. The first description holds. */
  metric(metric: Metric): GrowingMetric {
    const key = `${metric.kind}\0${metric.unit}\0${metric.name}`;
    let known = this.#metrics.get(key);
    if (known === undefined) {
      known = new GrowingMetric(metric, (series) => {
        this.#columns?.begin(series);
        this.#series.push(series);
      });
      this.#metrics.set(key, known);
    }
    return known;
  }

  /** Why a point of this time is rejected, or null. @param timeMs 0 when it has none */
  timeFault(timeMs: number): Fault | null {
    if (!(timeMs > 0)) return "no_time";
    if (timeMs < this.#earliest) return "too_old";
    return timeMs > this.#latest ? "future" : null;
  }

  /** Counts points that are not taken. */
  reject(fault: Fault, quantity = 1): void {
    this.tally.add("trace_metric", "invalid", fault, quantity);
  }

  /** Adds a point that {@linkcode timeFault} has nothing against. */
  add<P extends NumberPoint | HistogramPoint>(
    { points }: { readonly points: P[] },
    point: P,
  ): void {
    points.push(point);
    this.#note(point.timeMs);
  }

  /**
   * Adds a point of numbers that {@linkcode timeFault} has nothing against, without making anything of it.
   *
   * @param series of a metric that {@linkcode metric} gave
   */
  addNumber(series: SeriesIdentity, timeMs: number, startMs: number, value: number): void {
    if (this.#columns?.add(series, timeMs, startMs, value)) this.#note(timeMs);
    else this.add(this.numbersOf(series), { timeMs, startMs, value });
  }

  /** The series to add points and examples to, one by one. */
  numbersOf({ metric, temporality, labels }: SeriesIdentity): GrowingNumbers {
    this.#leaveColumns();
    return this.metric(metric).numbers(temporality, labels);
  }

  /** Makes series of what lies in columns: they may grow by more than a point then. */
  #leaveColumns(): void {
    const columns = this.#columns;
    if (columns === null) return;
    this.#columns = null;
    const others = this.#series.splice(0);
    columns.visit(others, (series) => this.#series.push(series), (identity, point) => {
      const { metric, temporality, labels } = identity;
      this.metric(metric).numbers(temporality, labels).points.push(point);
    });
  }

  #note(timeMs: number): void {
    this.#points++;
    if (timeMs < this.#firstMs) this.#firstMs = timeMs;
  }

  /**
   * Adds examples of a point to its series: those with a trace, and only some where there are many.
   *
   * @param timeMs of the point, which stands for times that are none
   */
  addExemplars(
    series: GrowingNumbers | GrowingHistograms,
    exemplars: readonly Exemplar[],
    timeMs: number,
  ): void {
    let room = Math.min(LIMITS.exemplarsOfPoint, LIMITS.exemplars - this.#exemplars);
    // The point itself may have been rejected for its time.
    const usualMs = this.timeFault(timeMs) === null ? timeMs : this.context.receivedAt.getTime();
    for (const exemplar of exemplars) {
      if (room <= 0) return;
      if (exemplar.traceId === null || !Number.isFinite(exemplar.value)) continue;
      if (series.exemplars === NO_EXEMPLARS) series.exemplars = [];
      const isTimed = this.timeFault(exemplar.timeMs) === null;
      series.exemplars.push(isTimed ? exemplar : { ...exemplar, timeMs: usualMs });
      this.#exemplars++;
      room--;
    }
  }

  /** The series that have something; of those whose labels are too long together the first ones. */
  #withinRoom(): MetricSeries[] {
    let room: number = LIMITS.requestLabels;
    return this.#series.filter((series) => {
      if (!isFilled(series)) return false;
      for (const [key, value] of series.labels) room -= key.length + value.length;
      if (room >= 0) return true;
      const { length } = series.points;
      if (length > 0) this.reject("request_too_long", length);
      this.#points -= length;
      return false;
    });
  }

  /**
   * All of it as one record, or none where no point was taken.
   *
   * @param part tells several batches of one request apart
   */
  finish(part: string | number = 0): Batch {
    const { requestId, receivedAt } = this.context;
    const columns = this.#columns?.isIn(this.#series, LIMITS.requestLabels) ? this.#columns : null;
    if (columns === null) this.#leaveColumns();
    const series = columns === null ? this.#withinRoom() : this.#series.filter(isFilled);
    const outcomes = this.tally.outcomes;
    if (this.#points === 0) return { records: [], outcomes, eventId: null };
    const facts = {
      kind: "metrics",
      batchId: recordId(requestId, "metrics", part),
      timestamp: new Date(this.#firstMs),
      receivedAt,
      pointCount: this.#points,
    } as const;
    const record = columns === null || columns.isEmpty
      ? { ...facts, series }
      : new ColumnBatch(facts, columns, series);
    return { records: [record], outcomes, eventId: null };
  }
}
