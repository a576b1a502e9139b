/** A process that counts and measures, and tells of it as OpenTelemetry's exporters do. */
import type { Random } from "../story.ts";
import { activity } from "../traces/history.ts";
import { attributes, nanos, type OtlpRequest } from "../traces/otlp.ts";
import type { Environment } from "../traces/services.ts";
import type { Attributes } from "../traces/scene.ts";

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

/** What the shop measures, by the names of OpenTelemetry's semantic conventions and some of its own. */

interface Instrument {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly unit: string;
  readonly description: string;
  /** Of histograms: upper bounds of the buckets but for the last. */
  readonly bounds?: readonly number[];
}

const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const INSTRUMENTS = {
  "http.server.request.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of HTTP server requests.",
    bounds: DURATIONS,
  },
  "http.server.active_requests": {
    kind: "gauge",
    unit: "{request}",
    description: "Number of active HTTP server requests.",
  },
  "nodejs.eventloop.delay.p99": {
    kind: "gauge",
    unit: "s",
    description: "Event loop 99 percentile delay.",
  },
  "nodejs.eventloop.utilization": {
    kind: "gauge",
    unit: "1",
    description: "Event loop utilization.",
  },
  "v8js.memory.heap.used": {
    kind: "gauge",
    unit: "By",
    description: "Heap memory size allocated.",
  },
  "v8js.gc.duration": {
    kind: "histogram",
    unit: "s",
    description: "Garbage collection duration.",
    bounds: [0.01, 0.1, 1, 10],
  },
  "jvm.memory.used": { kind: "gauge", unit: "By", description: "Measure of memory used." },
  "jvm.gc.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of JVM garbage collection actions.",
    bounds: [0.01, 0.1, 1, 10],
  },
  "jvm.thread.count": {
    kind: "gauge",
    unit: "{thread}",
    description: "Number of executing platform threads.",
  },
  "jvm.cpu.recent_utilization": {
    kind: "gauge",
    unit: "1",
    description: "Recent CPU utilization for the process as reported by the JVM.",
  },
  "system.cpu.time": { kind: "counter", unit: "s", description: "Seconds each CPU spent by mode." },
  "system.cpu.load_average.1m": {
    kind: "gauge",
    unit: "{thread}",
    description: "Average CPU load over 1 minute.",
  },
  "system.memory.usage": { kind: "gauge", unit: "By", description: "Bytes of memory in use." },
  "system.network.io": {
    kind: "counter",
    unit: "By",
    description: "The number of bytes transmitted and received.",
  },
  "system.disk.io": { kind: "counter", unit: "By", description: "Disk bytes transferred." },
  "system.filesystem.utilization": {
    kind: "gauge",
    unit: "1",
    description: "Fraction of filesystem bytes used.",
  },
  "shop.orders": { kind: "counter", unit: "{order}", description: "Orders that were placed." },
  "shop.revenue": { kind: "counter", unit: "EUR", description: "What was paid." },
  "shop.cart.items": {
    kind: "histogram",
    unit: "{item}",
    description: "Items in a cart at checkout.",
    bounds: [1, 2, 3, 5, 8, 13, 21],
  },
  "shop.carts.open": { kind: "gauge", unit: "{cart}", description: "Carts that have not expired." },
} as const satisfies Readonly<Record<string, Instrument>>;

type InstrumentName = keyof typeof INSTRUMENTS;

/** What a process goes through between two times at which it is asked for its metrics. */
export interface Moment {
  readonly random: Random;
  readonly at: Date;
  readonly environment: Environment;
  /** Since the moment before. */
  readonly minutes: number;
  /** 1 is the busiest time of production. */
  readonly load: number;
  /** All connections to the database are taken. */
  readonly isStarved: boolean;
}

const HOUR_MS = 3_600_000;
const STAGING_LOAD = 0.06;
/** Hours ago. */
const STARVED = { from: 5.4, to: 5 } as const;

/** @param now the end of the demo's time */
export function momentAt(
  random: Random,
  now: Date,
  at: Date,
  minutes: number,
  environment: Environment,
): Moment {
  const hoursAgo = (now.getTime() - at.getTime()) / HOUR_MS;
  const share = environment === "production" ? 1 : STAGING_LOAD;
  return {
    random,
    at,
    environment,
    minutes,
    load: activity(at) * share * random.around(1, 0.08),
    isStarved: environment === "production" && hoursAgo <= STARVED.from && hoursAgo > STARVED.to,
  };
}

/** How often something happens in a moment that does so `perMinute` times at full load. */
export function timesIn({ random, load, minutes }: Moment, perMinute: number): number {
  const mean = perMinute * load * minutes;
  return Math.max(0, Math.floor(mean * random.around(1, 0.1) + random.next()));
}
