/**
 * Our own measures and work as OTLP in JSON.
 *
 * https://opentelemetry.io/docs/specs/otlp/
 */
import { VERSION } from "../../core/config.ts";
import type { Family, Sample } from "../../core/measures/numbers.ts";
import type { Work } from "../../core/own_work.ts";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly doubleValue: number };
}

/** Request body for `/v1/metrics`. @param startedAt of this process, in milliseconds, from which counters count */
export function metricsBody(
  families: readonly Family[],
  instance: string,
  startedAt: number,
  now: number = Date.now(),
): string {
  const times = { startTimeUnixNano: nanos(startedAt), timeUnixNano: nanos(now) };
  const metrics = families.filter(({ samples }) => samples.length > 0).map((family) => ({
    name: family.name,
    description: family.help,
    ...dataOf(family, times),
  }));
  return JSON.stringify({
    resourceMetrics: [{ resource: resource(instance), scopeMetrics: [{ scope: SCOPE, metrics }] }],
  });
}

/** Request body for `/v1/traces`: each piece of work is a trace of one span. */
export function tracesBody(work: readonly Work[], instance: string): string {
  const spans = work.map(({ kind, name, startedAt, durationMs, isFailed, attributes }) => ({
    traceId: randomHex(16),
    spanId: randomHex(8),
    name,
    kind: kind === "request" ? SERVER : INTERNAL,
    startTimeUnixNano: nanos(startedAt),
    endTimeUnixNano: nanos(startedAt + durationMs),
    attributes: attributesOf({ "watchpost.kind": kind, ...attributes }),
    status: isFailed ? { code: 2 } : {},
  }));
  return JSON.stringify({
    resourceSpans: [{ resource: resource(instance), scopeSpans: [{ scope: SCOPE, spans }] }],
  });
}

const INTERNAL = 1;
const SERVER = 2;
const CUMULATIVE = 2;
const SCOPE = { name: "watchpost", version: VERSION };

function resource(instance: string) {
  return {
    attributes: attributesOf({
      "service.name": "watchpost",
      "service.version": VERSION,
      "service.instance.id": instance,
    }),
  };
}

type Times = { readonly startTimeUnixNano: string; readonly timeUnixNano: string };

function dataOf({ type, samples }: Family, times: Times) {
  if (type === "histogram") {
    const dataPoints = histogramPoints(samples, times);
    return { histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const dataPoints = samples.map(({ labels, value }) => ({
    ...times,
    attributes: attributesOf(labels),
    asDouble: value,
  }));
  if (type === "gauge") return { gauge: { dataPoints } };
  return { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
}

/** Prometheus' cumulative buckets of each set of labels, as OTLP's, which count apart. */
function histogramPoints(samples: readonly Sample[], times: Times) {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...groups].map(([labels, parts]) => {
    const valueOf = (suffix: string) => parts.find((each) => each.suffix === suffix)?.value ?? 0;
    const buckets = parts.filter(({ suffix }) => suffix === "_bucket");
    return {
      ...times,
      attributes: attributesOf(JSON.parse(labels)),
      count: String(valueOf("_count")),
      sum: valueOf("_sum"),
      explicitBounds: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
      bucketCounts: buckets.map(({ value }, index) =>
        String(value - (buckets[index - 1]?.value ?? 0))
      ),
    };
  });
}

function attributesOf(values: Readonly<Record<string, string | number>>): Attribute[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { doubleValue: value } : { stringValue: value },
  }));
}

/** Milliseconds as nanoseconds, which no number holds. */
function nanos(ms: number): string {
  return `${BigInt(Math.round(ms * 1_000))}000`;
}

function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}
