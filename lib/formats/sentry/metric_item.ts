import type { Label, Metric, MetricKind } from "../../records/mod.ts";
import { eventTime } from "../event_time.ts";
import { clippedName, type Raw, textIn } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { TEXT } from "../limits.ts";
import { GrowingBatch } from "../metrics/growing_batch.ts";
import { observationPoint } from "../metrics/histograms.ts";
import { labelBook, labelText } from "../metrics/label_book.ts";
import { LIMITS } from "../metrics/limits.ts";
import { ucumUnit } from "../metrics/units.ts";
import {
  clockOf,
  type Decoded,
  type ElementFacts,
  type ItemContext,
  type ItemDecoder,
  readContainer,
  readElementFacts,
} from "./item_decoder.ts";

const KINDS: Readonly<Record<string, MetricKind>> = {
  counter: "counter",
  gauge: "gauge",
  distribution: "histogram",
};

/** One element of a container. */
interface Observation {
  readonly metric: Metric;
  readonly timeMs: number;
  readonly value: number;
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly labels: readonly Label[];
}

/**
 * The container of observations, `application/vnd.sentry.items.trace-metric+json`: each is a point, of a counter what
 * was added, of a distribution a histogram of one.
 */
export const decodeMetrics: ItemDecoder = (item, context) => {
  const { elements, outcomes } = readContainer(item, {
    category: "trace_metric",
    invalid: "invalid_metric",
    // Each may be a label that nobody has seen.
    attributeCost: 3,
    read: (element) => readObservation(element, context),
  }, context);
  const { records, outcomes: rejected } = batchOf(elements, context);
  return { records, outcomes: [...outcomes, ...rejected] };
};

function batchOf(observations: readonly Observation[], context: ItemContext): Decoded {
  const batch = new GrowingBatch(context);
  const book = labelBook(context.policy);
  for (const { metric, timeMs, value, traceId, spanId, labels } of observations) {
    const filled = labels.filter(([key, text]) => key !== "" && text !== "");
    const list = book.listOf(filled.map(([key, text]) => book.label(key, text)));
    if (typeof list === "string") {
      batch.reject(list);
      continue;
    }
    const growing = batch.metric(metric);
    const series = metric.kind === "histogram"
      ? growing.histograms("observed", list)
      : growing.numbers(metric.kind === "gauge" ? "level" : "observed", list);
    if (series.shape === "histogram") batch.add(series, observationPoint(timeMs, value));
    else batch.add(series, { timeMs, startMs: 0, value });
    if (series.exemplars.length < LIMITS.exemplarsOfPoint) {
      batch.addExemplars(series, [{ traceId, spanId, timeMs, value }], timeMs);
    }
  }
  return batch.finish(context.index);
}

function readObservation(element: Raw, context: ItemContext): Observation | string | null {
  const name = clippedName(element.name, TEXT.name);
  const type = typeof element.type === "string" ? element.type : "";
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const value = typeof element.value === "string" ? Number(element.value) : element.value;
  if (name === undefined || kind === undefined) return null;
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  const { timestamp, isTooOld } = eventTime(element.timestamp, clockOf(context));
  if (isTooOld) return null;
  const facts = readElementFacts(element, context);
  if (typeof facts === "string") return facts;
  const unit = ucumUnit(clippedName(element.unit, LIMITS.unit) ?? "");
  return {
    metric: { name, kind, unit, description: "" },
    timeMs: Math.trunc(timestamp * 1000),
    value,
    traceId: readTraceId(element.trace_id) ?? null,
    spanId: readSpanId(element.span_id) ?? null,
    labels: labelsOf(facts),
  };
}

/** What SDKs say of themselves, and who the user was: the one is no label, the other would make a series of everybody. */
const NO_LABEL = /^(?:sentry|user)\./;

function labelsOf({ attributes, release, environment }: ElementFacts): Label[] {
  const service = clippedName(textIn(attributes, "service.name", "service"), TEXT.name);
  const scope: Record<string, string> = {
    service: service ?? "",
    environment: environment || labelText(attributes.environment),
    release: release || labelText(attributes.release),
  };
  const others = Object.entries(attributes)
    .filter(([name]) =>
      !NO_LABEL.test(name) && name !== "service.name" && !Object.hasOwn(scope, name)
    )
    .map(([name, value]): Label => [name, labelText(value)]);
  return [...others, ...Object.entries(scope)];
}
