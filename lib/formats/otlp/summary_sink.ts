import type { Fault } from "../metrics/faults.ts";
import type { GrowingBatch, GrowingMetric } from "../metrics/growing_batch.ts";
import type { LabelBook, Labels } from "../metrics/label_book.ts";
import type { OtlpMetric, OtlpSummaryPoint } from "./metrics_model.ts";
import { growingMetric, isNothing, knownStart } from "./sinks.ts";

/** Quantiles of one point: a real one has five. */
const MAX_QUANTILES = 100;

/**
 * Takes the points of a summary: its quantiles as a gauge with the label `quantile`, since nothing can be computed from
 * them, and how many there were and their sum as counters `<name>_count` and `<name>_sum`.
 */
export class SummarySink {
  readonly #quantiles: GrowingMetric;
  readonly #count: GrowingMetric;
  readonly #sum: GrowingMetric;

  constructor(
    private readonly batch: GrowingBatch,
    private readonly book: LabelBook,
    metric: OtlpMetric,
  ) {
    this.#quantiles = growingMetric(batch, metric, "gauge");
    this.#count = growingMetric(batch, { ...metric, unit: "" }, "counter", "_count");
    this.#sum = growingMetric(batch, metric, "counter", "_sum");
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
      this.batch.addNumber(this.#count.numbers("cumulative", labels), {
        timeMs,
        startMs,
        value: count,
      });
      this.batch.addNumber(this.#sum.numbers("cumulative", labels), {
        timeMs,
        startMs,
        value: sum,
      });
      for (const { quantile, value } of point.quantiles.slice(0, MAX_QUANTILES)) {
        this.#addQuantile(quantile, { timeMs, startMs: 0, value }, labels);
      }
    }
  }

  /** Without observations in its time a quantile is NaN: that says nothing, and is no fault. */
  #addQuantile(
    quantile: number,
    point: { timeMs: number; startMs: number; value: number },
    labels: Labels,
  ): void {
    if (!Number.isFinite(point.value) || !(quantile >= 0 && quantile <= 1)) return;
    const own = this.book.label("quantile", String(quantile));
    const list = this.book.listOf([...labels.filter(([key]) => key !== "quantile"), own]);
    if (typeof list === "string") return;
    this.batch.addNumber(this.#quantiles.numbers("level", list), point);
  }
}

function faultOf({ count, sum }: OtlpSummaryPoint): Fault | null {
  if (!(count >= 0 && count < Infinity)) return "bad_count";
  return Number.isFinite(sum) ? null : "not_finite";
}
