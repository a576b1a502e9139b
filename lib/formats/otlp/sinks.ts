import type { Exemplar, MetricKind, Temporality } from "../../records/mod.ts";
import type { Fault } from "../metrics/faults.ts";
import type { GrowingBatch, GrowingMetric } from "../metrics/growing_batch.ts";
import {
  explicitBuckets,
  exponentialBuckets,
  sparseCounts,
} from "../metrics/histogram_point.ts";
import type { Labels } from "../metrics/label_book.ts";
import { LIMITS } from "../metrics/limits.ts";
import { LIMITS as OTLP_LIMITS } from "./limits.ts";
import { cleanText } from "./text.ts";
import { isSpanId, isTraceId } from "./span_checks.ts";
import type {
  OtlpData,
  OtlpExemplar,
  OtlpExponentialPoint,
  OtlpHistogramPoint,
  OtlpMetric,
  OtlpNumberPoint,
  OtlpPoint,
} from "./metrics_model.ts";

const DELTA = 1;
const CUMULATIVE = 2;
const NO_RECORDED_VALUE = 1;

/** Why no point of a metric can be taken, or null. */
export function metricFault({ name }: OtlpMetric, { form, temporality }: OtlpData): Fault | null {
  if (name.trim() === "") return "no_name";
  if (name.length > LIMITS.name) return "name_too_long";
  if (form === "gauge" || form === "summary") return null;
  return temporality === DELTA || temporality === CUMULATIVE ? null : "no_temporality";
}

/** A metric of a batch. @param suffix of its name */
export function growingMetric(
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
export function isNothing({ flags }: OtlpPoint): boolean {
  return (flags & NO_RECORDED_VALUE) !== 0;
}

/** A start that cannot be is as good as none. */
export function knownStart({ startMs, timeMs }: OtlpPoint): number {
  return startMs > 0 && startMs <= timeMs ? startMs : 0;
}

/** Takes the points of a gauge or a sum. */
export class NumberSink {
  readonly #metric: GrowingMetric;
  readonly #temporality: Temporality;
  readonly #isMonotonic: boolean;

  /** @param data with a temporality that is known */
  constructor(private readonly batch: GrowingBatch, metric: OtlpMetric, data: OtlpData) {
    const isDelta = data.temporality === DELTA;
    // What goes up and down is a level, unless only its changes are told.
    const isLevel = data.form === "gauge" || !data.isMonotonic && !isDelta;
    this.#metric = growingMetric(batch, metric, isLevel ? "gauge" : "counter");
    this.#temporality = isLevel ? "level" : isDelta ? "delta" : "cumulative";
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
      const startMs = this.#temporality === "level" ? 0 : knownStart(point);
      const series = this.#metric.numbers(this.#temporality, labels);
      this.batch.addNumber(series, { timeMs, startMs, value });
      if (point.exemplars.length > 0) {
        this.batch.addExemplars(series, exemplarsOf(point), timeMs);
      }
    }
  }

  #valueFault(value: number | null): Fault | null {
    if (value === null) return "no_value";
    if (!Number.isFinite(value)) return "not_finite";
    return this.#isMonotonic && value < 0 ? "negative_counter" : null;
  }
}

/** Takes the points of a histogram of either form. */
export class HistogramSink {
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
      this.batch.addHistogram(series, {
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
