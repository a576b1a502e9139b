/** A process that counts and measures, and tells of it as OpenTelemetry's exporters do. */
import { attributes, nanos, type OtlpRequest } from "../traces/otlp_trace.ts";
import type { Attributes } from "../traces/work.ts";
import { type Instrument, type InstrumentName, INSTRUMENTS } from "./instruments.ts";

/** An observation in a trace. */
export interface Example {
  /** In seconds since 1970. */
  readonly time: number;
  readonly value: number;
  readonly traceId: string;
  readonly spanId: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Series {
  readonly name: InstrumentName;
  readonly attributes: Attributes;
  /** Total of counters, level of gauges, sum of histograms. */
  value: number;
  count: number;
  readonly counts: number[];
  examples: Example[];
  /** Since the last request. */
  points: Json[];
}

const CUMULATIVE = 2;

/** Counters and histograms are cumulative since the process began. */
export class Meter {
  readonly #series = new Map<string, Series>();

  /** @param startedAt in seconds since 1970 */
  constructor(readonly resource: Attributes, readonly startedAt: number) {}

  add(name: InstrumentName, labels: Attributes, amount: number): void {
    this.#of(name, labels).value += amount;
  }

  set(name: InstrumentName, labels: Attributes, level: number): void {
    this.#of(name, labels).value = level;
  }

  observe(name: InstrumentName, labels: Attributes, value: number, example?: Example): void {
    const series = this.#of(name, labels);
    const { bounds = [] }: Instrument = INSTRUMENTS[name];
    const bucket = bounds.findIndex((bound) => value <= bound);
    const place = bucket === -1 ? bounds.length : bucket;
    series.counts[place] = (series.counts[place] ?? 0) + 1;
    series.value += value;
    series.count++;
    if (example) series.examples.push(example);
  }

  /** Takes down what everything is at a time. @param time in seconds since 1970 */
  collect(time: number): void {
    for (const series of this.#series.values()) series.points.push(this.#pointOf(series, time));
  }

  /** Everything that was taken down since the last request; null for nothing. */
  request(): OtlpRequest | null {
    const byName = Map.groupBy(this.#series.values(), ({ name }) => name);
    const metrics = [...byName].flatMap(([name, series]) => {
      const dataPoints = series.flatMap((one) => one.points.splice(0));
      return dataPoints.length === 0 ? [] : [metricOf(name, dataPoints)];
    });
    if (metrics.length === 0) return null;
    const resource = { attributes: attributes(this.resource) };
    const scopeMetrics = [{ scope: { name: "shop" }, metrics }];
    return { signal: "metrics", body: { resourceMetrics: [{ resource, scopeMetrics }] } };
  }

  #of(name: InstrumentName, labels: Attributes): Series {
    const key = JSON.stringify([name, labels]);
    const known = this.#series.get(key);
    if (known) return known;
    const { bounds = [] }: Instrument = INSTRUMENTS[name];
    const made: Series = {
      name,
      attributes: labels,
      value: 0,
      count: 0,
      counts: Array.from({ length: bounds.length + 1 }, () => 0),
      examples: [],
      points: [],
    };
    this.#series.set(key, made);
    return made;
  }

  #pointOf(series: Series, time: number): Json {
    const { name, value, count, counts } = series;
    const { kind, bounds = [] }: Instrument = INSTRUMENTS[name];
    const common = { attributes: attributes(series.attributes), timeUnixNano: nanos(time) };
    if (kind === "gauge") return { ...common, asDouble: value };
    const started = { ...common, startTimeUnixNano: nanos(this.startedAt) };
    if (kind === "counter") return { ...started, asDouble: value };
    const exemplars = series.examples.map(exemplarOf);
    series.examples = [];
    return {
      ...started,
      count: String(count),
      sum: value,
      explicitBounds: bounds,
      bucketCounts: counts.map(String),
      ...(exemplars.length > 0 && { exemplars }),
    };
  }
}

function metricOf(name: InstrumentName, dataPoints: readonly Json[]): Json {
  const { kind, unit, description } = INSTRUMENTS[name];
  const common = { name, unit, description };
  if (kind === "gauge") return { ...common, gauge: { dataPoints } };
  const data = { dataPoints, aggregationTemporality: CUMULATIVE };
  return kind === "counter"
    ? { ...common, sum: { ...data, isMonotonic: true } }
    : { ...common, histogram: data };
}

function exemplarOf({ time, value, traceId, spanId }: Example): Json {
  return { timeUnixNano: nanos(time), asDouble: value, traceId, spanId };
}
