import type { MetricPoint } from "../../../telemetry/records.ts";
import { attributesJson, readAttributes, textIn } from "../attributes.ts";
import { clippedName, type Raw } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { idIn, type ItemContext, type ItemDecoder, timeOf } from "../item_decoder.ts";
import { TEXT } from "../limits.ts";
import { decodeContainer, filterOf } from "./container.ts";

const TYPES = ["counter", "gauge", "distribution"] as const;
const MAX_ATTRIBUTES_LENGTH = 8_192;

/** The container of observations, `application/vnd.sentry.items.trace-metric+json`. */
export const decodeMetrics: ItemDecoder = (item, context) =>
  decodeContainer(item, {
    category: "trace_metric",
    invalid: "invalid_metric",
    read: (element, index) => readPoint(element, index, context),
  });

function readPoint(element: Raw, index: number, context: ItemContext): MetricPoint | string | null {
  const name = clippedName(element.name, TEXT.name);
  const type = TYPES.find((each) => each === element.type);
  const value = typeof element.value === "string" ? Number(element.value) : element.value;
  if (name === undefined || type === undefined) return null;
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  const attributes = readAttributes(element.attributes);
  const release = clippedName(textIn(attributes, "sentry.release"), TEXT.name) ?? "";
  const unwanted = filterOf(release, context);
  if (unwanted !== null) return unwanted;
  context.policy.scrubObject(attributes);
  return {
    kind: "metric",
    pointId: idIn(context, index),
    timestamp: timeOf(element.timestamp, context),
    receivedAt: context.receivedAt,
    name,
    type,
    unit: clippedName(element.unit, TEXT.word) ?? "",
    value,
    traceId: readTraceId(element.trace_id) ?? null,
    spanId: readSpanId(element.span_id) ?? null,
    environment: clippedName(textIn(attributes, "sentry.environment"), TEXT.word) ?? "",
    release,
    attributes: attributesJson(attributes, MAX_ATTRIBUTES_LENGTH),
  };
}
