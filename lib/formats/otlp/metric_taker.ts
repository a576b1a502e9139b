import type { DecodeContext } from "../decode_context.ts";
import type {
  Batch,
  Exemplar,
  MetricKind,
  SeriesIdentity,
  Temporality,
} from "../../records/mod.ts";
import type { JsonObject } from "../json.ts";
import { GrowingBatch, type GrowingMetric } from "../metrics/growing_batch.ts";
import { explicitBuckets, exponentialBuckets, sparseCounts } from "../metrics/histograms.ts";
import {
  type LabelBook,
  labelBook,
  type Labels,
  type MetricIdentities,
} from "../metrics/label_book.ts";
import { type Fault, LIMITS } from "../metrics/limits.ts";
import { LabelSpace, ResourceLabels } from "./metrics_labels.ts";
import type {
  OtlpData,
  OtlpExemplar,
  OtlpExponentialPoint,
  OtlpHistogramPoint,
  OtlpMetric,
  OtlpNumberPoint,
  OtlpPoint,
  OtlpSummaryPoint,
} from "./metrics_model.ts";
import { cleanText, isSpanId, isTraceId } from "./model.ts";
import { LIMITS as OTLP_LIMITS } from "./request.ts";
import { senderOf } from "./resource_attributes.ts";

/** Takes points of one form. */
export interface PointSink<T> {
  /** @param labels or why there are none */
  add(point: T, labels: Labels | Fault): void;
}

/** Takes points of numbers, those of series that are known without an object for each. */
export interface NumberPointSink extends PointSink<OtlpNumberPoint> {
  /** The series that points become; null: none is taken. */
  readonly identities: MetricIdentities | null;
  /** Adds a point without examples to a series that {@linkcode identities} gave, or counts why it is rejected. */
  addKnown(series: SeriesIdentity, timeMs: number, startMs: number, value: number): void;
}

/** Where the points of a metric go. Only the one of the metric's form is asked for. */
export interface PointSinks {
  readonly number: NumberPointSink;
  readonly histogram: PointSink<OtlpHistogramPoint | OtlpExponentialPoint>;
  readonly summary: PointSink<OtlpSummaryPoint>;
}

/** Takes what one library says of one resource. */
export interface ScopeTaker {
  readonly space: LabelSpace;
  metric(metric: OtlpMetric, data: OtlpData): PointSinks;
}

/** Takes what is said of one resource. */
interface ResourceTaker {
  /** @param name of the library, or `""` */
  readonly scope: (name: string) => ScopeTaker;
}

/** Makes a batch of an export request, whose encodings tell it what they read. */
export class MetricTaker {
  readonly #batch: GrowingBatch;
  readonly #book: LabelBook;

  constructor(private readonly context: DecodeContext) {
    this.#batch = new GrowingBatch(context);
    this.#book = labelBook(context.policy);
  }

  /** Begins what is said of a resource. @param attributes of it, which are taken over */
  resource(attributes: JsonObject): ResourceTaker {
    const { context } = this;
    const unwanted = context.policy.filterOther(senderOf(attributes).release, context);
    const labels = new ResourceLabels(attributes, this.#book, context.policy);
    return {
      scope: (name) => ({
        space: new LabelSpace(labels, name),
        metric: (metric, data) => this.#sinks(metric, data, unwanted),
      }),
    };
  }

  #sinks(metric: OtlpMetric, data: OtlpData, unwanted: string | null): PointSinks {
    const batch = this.#batch;
    if (unwanted !== null) {
      return only(() => batch.tally.add("trace_metric", "filtered", unwanted));
    }
    const fault = metricFault(metric, data);
    if (fault !== null) return only(() => batch.reject(fault));
    const book = this.#book;
    return {
      get number() {
        return new NumberSink(batch, book, metric, data);
      },
      get histogram() {
        return new HistogramSink(batch, metric, data);
      },
      get summary() {
        return new SummarySink(batch, book, metric);
      },
    };
  }

  /** All that was taken. */
  finish(): Batch {
    return this.#batch.finish();
  }
}

/** All points come to the same end. */
function only(end: () => void): PointSinks {
  const sink = {
    identities: null,
    add(point: OtlpPoint) {
      if (!isNothing(point)) end();
    },
    addKnown: end,
  };
  return { number: sink, histogram: sink, summary: sink };
}

const DELTA = 1;
const CUMULATIVE = 2;
const NO_RECORDED_VALUE = 1;

/** Why no point of a metric can be taken, or null. */
function metricFault({ name }: OtlpMetric, { form, temporality }: OtlpData): Fault | null {
  if (name.trim() === "") return "no_name";
  if (name.length > LIMITS.name) return "name_too_long";
  if (form === "gauge" || form === "summary") return null;
  return temporality === DELTA || temporality === CUMULATIVE ? null : "no_temporality";
}

/** A metric of a batch. @param suffix of its name */
function growingMetric(
  batch: GrowingBatch,
  { name, unit, description }: OtlpMetric,
  kind: MetricKind,
  suffix = "",
): GrowingMetric {
  return batch.metric({
    name: name + suffix,
    kind,
    unit: cleanText(unit.trim(), LIMITS.unit),
    description: cleanText(description, LIMITS.description),
  });
}

/** A point that only says that there is none any more: nothing is lost without it. */
function isNothing({ flags }: OtlpPoint): boolean {
  return (flags & NO_RECORDED_VALUE) !== 0;
}

/** A start that cannot be is as good as none. */
function knownStart({ startMs, timeMs }: Pick<OtlpPoint, "startMs" | "timeMs">): number {
  return startMs > 0 && startMs <= timeMs ? startMs : 0;
}

/** Takes the points of a gauge or a sum. */
class NumberSink implements NumberPointSink {
  readonly identities: MetricIdentities;
  readonly #isMonotonic: boolean;

  /** @param data with a temporality that is known */
  constructor(
    private readonly batch: GrowingBatch,
    book: LabelBook,
    sent: OtlpMetric,
    data: OtlpData,
  ) {
    const isDelta = data.temporality === DELTA;
    // What goes up and down is a level, unless only its changes are told.
    const isLevel = data.form === "gauge" || !data.isMonotonic && !isDelta;
    const { metric } = growingMetric(batch, sent, isLevel ? "gauge" : "counter");
    const temporality = isLevel ? "level" : isDelta ? "delta" : "cumulative";
    this.identities = book.identities(metric, temporality);
    this.#isMonotonic = data.form === "sum" && data.isMonotonic;
  }

  /** Adds a point to its series, or counts why it is rejected. */
  add(point: OtlpNumberPoint, labels: Labels | Fault): void {
    if (isNothing(point)) return;
    const { timeMs, value } = point;
    const fault = this.batch.timeFault(timeMs) ?? this.#valueFault(value);
    if (fault !== null || value === null) this.batch.reject(fault ?? "no_value");
    else if (typeof labels === "string") this.batch.reject(labels);
    else {
      const series = this.identities.of(labels);
      this.batch.addNumber(series, timeMs, this.#startOf(timeMs, point.startMs), value);
      const exemplars = exemplarsOf(point);
      if (exemplars.length > 0) {
        this.batch.addExemplars(this.batch.numbersOf(series), exemplars, timeMs);
      }
    }
  }

  addKnown(series: SeriesIdentity, timeMs: number, startMs: number, value: number): void {
    const fault = this.batch.timeFault(timeMs) ?? this.#valueFault(value);
    if (fault !== null) this.batch.reject(fault);
    else this.batch.addNumber(series, timeMs, this.#startOf(timeMs, startMs), value);
  }

  #startOf(timeMs: number, startMs: number): number {
    return this.identities.temporality === "level" ? 0 : knownStart({ startMs, timeMs });
  }

  #valueFault(value: number | null): Fault | null {
    if (value === null) return "no_value";
    if (!Number.isFinite(value)) return "not_finite";
    return this.#isMonotonic && value < 0 ? "negative_counter" : null;
  }
}

/** Takes the points of a histogram of either form. */
class HistogramSink {
  readonly #metric: GrowingMetric;
  readonly #temporality: Temporality;

  /** @param data with a temporality that is known */
  constructor(private readonly batch: GrowingBatch, metric: OtlpMetric, data: OtlpData) {
    this.#metric = growingMetric(batch, metric, "histogram");
    this.#temporality = data.temporality === DELTA ? "delta" : "cumulative";
  }

  /** Adds a point to its series, or counts why it is rejected. */
  add(point: OtlpHistogramPoint | OtlpExponentialPoint, labels: Labels | Fault): void {
    if (isNothing(point)) return;
    const { timeMs, count, sum } = point;
    const buckets = this.batch.timeFault(timeMs) ?? sumFault(sum) ?? bucketsOf(point);
    if (typeof buckets === "string") this.batch.reject(buckets);
    else if (typeof labels === "string") this.batch.reject(labels);
    else {
      const series = this.#metric.histograms(this.#temporality, labels);
      // Those of a cumulative point are of the whole life of its process.
      const hasExtremes = this.#temporality === "delta" && count > 0;
      this.batch.add(series, {
        timeMs,
        startMs: knownStart(point),
        count,
        sum,
        min: hasExtremes ? finite(point.min) : null,
        max: hasExtremes ? finite(point.max) : null,
        buckets,
      });
      if (point.exemplars.length > 0) {
        this.batch.addExemplars(series, exemplarsOf(point), timeMs);
      }
    }
  }
}

function sumFault(sum: number | null): Fault | null {
  return sum === null || Number.isFinite(sum) ? null : "not_finite";
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

function bucketsOf(point: OtlpHistogramPoint | OtlpExponentialPoint) {
  if ("bounds" in point) return explicitBuckets(point.bounds, point.counts, point.count);
  const { scale, zeroCount, zeroThreshold, positive, negative, count } = point;
  const listed = Math.max(positive.counts.length, negative.counts.length);
  if (listed > OTLP_LIMITS.numbers) return "too_many_buckets";
  return exponentialBuckets({
    kind: "exponential",
    scale,
    zeroCount,
    zeroThreshold,
    positive: sparseCounts(positive.offset, positive.counts),
    negative: sparseCounts(negative.offset, negative.counts),
  }, count);
}

function exemplarsOf({ exemplars }: OtlpPoint): Exemplar[] {
  return exemplars.flatMap(({ timeMs, value, traceId, spanId }: OtlpExemplar) =>
    value === null || !isTraceId(traceId)
      ? []
      : [{ timeMs, value, traceId, spanId: isSpanId(spanId) ? spanId : null }]
  );
}

/** Quantiles of one point: a real one has five. */
const MAX_QUANTILES = 100;

/**
 * Takes the points of a summary: its quantiles as a gauge with the label `quantile`, since nothing can be computed from
 * them, and how many there were and their sum as counters `<name>_count` and `<name>_sum`.
 */
class SummarySink {
  readonly #quantiles: MetricIdentities;
  readonly #count: MetricIdentities;
  readonly #sum: MetricIdentities;

  constructor(
    private readonly batch: GrowingBatch,
    private readonly book: LabelBook,
    metric: OtlpMetric,
  ) {
    const counter = (sent: OtlpMetric, suffix: string) =>
      book.identities(growingMetric(batch, sent, "counter", suffix).metric, "cumulative");
    this.#quantiles = book.identities(growingMetric(batch, metric, "gauge").metric, "level");
    this.#count = counter({ ...metric, unit: "" }, "_count");
    this.#sum = counter(metric, "_sum");
  }

  /** Adds a point to its series, or counts why it is rejected. */
  add(point: OtlpSummaryPoint, labels: Labels | Fault): void {
    if (isNothing(point)) return;
    const { timeMs, count, sum } = point;
    const fault = this.batch.timeFault(timeMs) ?? faultOf(point);
    if (fault !== null) this.batch.reject(fault);
    else if (typeof labels === "string") this.batch.reject(labels);
    else {
      const startMs = knownStart(point);
      this.batch.addNumber(this.#count.of(labels), timeMs, startMs, count);
      this.batch.addNumber(this.#sum.of(labels), timeMs, startMs, sum);
      for (const { quantile, value } of point.quantiles.slice(0, MAX_QUANTILES)) {
        this.#addQuantile(quantile, value, timeMs, labels);
      }
    }
  }

  /** Without observations in its time a quantile is NaN: that says nothing, and is no fault. */
  #addQuantile(quantile: number, value: number, timeMs: number, labels: Labels): void {
    if (!Number.isFinite(value) || !(quantile >= 0 && quantile <= 1)) return;
    const own = this.book.label("quantile", String(quantile));
    const list = this.book.listOf([...labels.filter(([key]) => key !== "quantile"), own]);
    if (typeof list === "string") return;
    this.batch.addNumber(this.#quantiles.of(list), timeMs, 0, value);
  }
}

function faultOf({ count, sum }: OtlpSummaryPoint): Fault | null {
  if (!(count >= 0 && count < Infinity)) return "bad_count";
  return Number.isFinite(sum) ? null : "not_finite";
}
