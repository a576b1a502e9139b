import type { Batch } from "../../records/mod.ts";
import type { Fault } from "../metrics/faults.ts";
import { GrowingBatch } from "../metrics/growing_batch.ts";
import { type LabelBook, labelBook, type Labels } from "../metrics/label_book.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import type { JsonObject } from "../json.ts";
import { senderOf } from "./sender.ts";
import { LabelSpace } from "./label_space.ts";
import { ResourceLabels } from "./resource_labels.ts";
import type {
  OtlpData,
  OtlpExponentialPoint,
  OtlpHistogramPoint,
  OtlpMetric,
  OtlpNumberPoint,
  OtlpPoint,
  OtlpSummaryPoint,
} from "./metrics_model.ts";
import { HistogramSink, isNothing, metricFault, NumberSink } from "./sinks.ts";
import { SummarySink } from "./summary_sink.ts";

/** Takes points of one form. */
export interface PointSink<T> {
  /** @param labels or why there are none */
  add(point: T, labels: Labels | Fault): void;
}

/** Where the points of a metric go. Only the one of the metric's form is asked for. */
export interface PointSinks {
  readonly number: PointSink<OtlpNumberPoint>;
  readonly histogram: PointSink<OtlpHistogramPoint | OtlpExponentialPoint>;
  readonly summary: PointSink<OtlpSummaryPoint>;
}

/** Takes what one library says of one resource. */
export interface ScopeTaker {
  readonly space: LabelSpace;
  metric(metric: OtlpMetric, data: OtlpData): PointSinks;
}

/** Takes what is said of one resource. */
export interface ResourceTaker {
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
        return new NumberSink(batch, metric, data);
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
    add(point: OtlpPoint) {
      if (!isNothing(point)) end();
    },
  };
  return { number: sink, histogram: sink, summary: sink };
}
