/** What the shop measures, and a process that measures it, as OpenTelemetry's exporters tell of it. */
import { attributes, nanos } from "./otlp.ts";
import type { Attributes } from "./scene.ts";
import type { OtlpRequest } from "./send.ts";

/**
 * What is measured, by the names of OpenTelemetry's semantic conventions and some of the shop's own. A line for each
 * instrument: kind, name, unit, bounds of histograms' buckets, description; below it those of its series that follow the load
 * alone: process, labels, and numbers. Of levels, and of counters a second: what it is without any load, what full load adds,
 * how much it varies, and how many times as much it is while the database has no free connections. Of histograms: how
 * often a minute without load, how much more often with all of it, the median.
 */
export const INSTRUMENTS = instruments(`
histogram  http.server.request.duration  s  0.005,0.01,0.025,0.05,0.075,0.1,0.25,0.5,0.75,1,2.5,5,7.5,10  Duration of HTTP server requests.
gauge  http.server.active_requests  {request}  -  Number of active HTTP server requests.
gauge  nodejs.eventloop.delay.p99  s  -  Event loop 99 percentile delay.
  storefront  -  0.0108 0.006 0.15 4
gauge  nodejs.eventloop.utilization  1  -  Event loop utilization.
  storefront  -  0.03 0.42 0
gauge  v8js.memory.heap.used  By  -  Heap memory size allocated.
  storefront  v8js.heap.space.name=old_space  57e6 41e6 0.06
  storefront  v8js.heap.space.name=new_space  66e5 47e5 0.06
  storefront  v8js.heap.space.name=large_object_space  10e6 73e5 0.06
histogram  v8js.gc.duration  s  0.01,0.1,1,10  Garbage collection duration.
  storefront  v8js.gc.type=minor  4.2 14 0.0016
  storefront  v8js.gc.type=major  0.15 0.5 0.018
gauge  jvm.memory.used  By  -  Measure of memory used.
  orders  jvm.memory.type=heap,jvm.memory.pool.name=G1 Eden Space  63e6 88e6 0.2
  orders  jvm.memory.type=heap,jvm.memory.pool.name=G1 Old Gen  162e6 227e6 0.2
  orders  jvm.memory.type=non_heap,jvm.memory.pool.name=Metaspace  100e6 0 0
histogram  jvm.gc.duration  s  0.01,0.1,1,10  Duration of JVM garbage collection actions.
  orders  jvm.gc.name=G1 Young Generation,jvm.gc.action=end of minor GC  0.48 2.4 0.011
gauge  jvm.thread.count  {thread}  -  Number of executing platform threads.
  orders  jvm.thread.daemon=true  24 18 0
  orders  jvm.thread.daemon=false  7 0 0
gauge  jvm.cpu.recent_utilization  1  -  Recent CPU utilization for the process as reported by the JVM.
  orders  -  0.04 0.3 0.15
counter  system.cpu.time  s  -  Seconds each CPU spent by mode.
  host  state=user  0.2 2 0.1
  host  state=system  0.06 0.6 0.1
  host  state=wait  0.04 0 0.4 25
  host  state=idle  3.7 -2.6 0.02
gauge  system.cpu.load_average.1m  {thread}  -  Average CPU load over 1 minute.
  host  -  0.34 2.6 0.1 1.8
gauge  system.memory.usage  By  -  Bytes of memory in use.
  host  state=used  7.2e9 2e9 0.02
  host  state=cached  4.8e9 0 0
  host  state=free  5.2e9 -2e9 0.02
counter  system.network.io  By  -  The number of bytes transmitted and received.
  host  device=eth0,direction=receive  73e3 15e5 0.1
  host  device=eth0,direction=transmit  2e5 41e5 0.1
counter  system.disk.io  By  -  Disk bytes transferred.
  host  device=vda,direction=read  42e3 42e4 0.3
  host  device=vda,direction=write  12e4 12e5 0.3
gauge  system.filesystem.utilization  1  -  Fraction of filesystem bytes used.
counter  shop.orders  {order}  -  Orders that were placed.
counter  shop.revenue  EUR  -  What was paid.
histogram  shop.cart.items  {item}  1,2,3,5,8,13,21  Items in a cart at checkout.
gauge  shop.carts.open  {cart}  -  Carts that have not expired.
  storefront  -  123 410 0.04
`);

interface Instrument {
  readonly kind: string;
  readonly name: string;
  readonly unit: string;
  /** Upper bounds of the buckets, but for the last. */
  readonly bounds: readonly number[];
  readonly description: string;
  readonly series: { process: string; labels: Attributes; numbers: readonly number[] }[];
}

/** Reads that table, whose columns are two blanks apart. */
function instruments(text: string): ReadonlyMap<string, Instrument> {
  const all = new Map<string, Instrument>();
  let series: Instrument["series"] = [];
  for (const line of text.trim().split("\n")) {
    const [first = "", second = "", third = "", bounds = "", description = ""] = line.trim()
      .split("  ");
    if (line.startsWith(" ")) {
      series.push({
        process: first,
        labels: Object.fromEntries(listed(second).map((label) => label.split("="))),
        numbers: third.split(" ").map(Number),
      });
    } else {
      const more = { bounds: listed(bounds).map(Number), description, series: series = [] };
      all.set(second, { kind: first, name: second, unit: third, ...more });
    }
  }
  return all;
}

function listed(text: string): string[] {
  return text === "-" ? [] : text.split(",");
}

/** A request in a trace. */
export interface Example {
  readonly endpoint: string;
  /** In seconds since 1970. */
  readonly time: number;
  readonly value: number;
  readonly traceId: string;
  readonly spanId: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Series {
  readonly instrument: Instrument;
  readonly attributes: Attributes;
  /** Total of counters, level of gauges, sum of histograms. */
  value: number;
  count: number;
  readonly counts: number[];
  examples: Example[];
  /** Since the last request. */
  points: Json[];
}

/** A process that counts and measures; counters and histograms are cumulative since it began. */
export class Meter {
  readonly #series = new Map<string, Series>();

  /** @param startedAt in seconds since 1970 */
  constructor(
    readonly resource: Attributes,
    readonly release: string,
    readonly startedAt: number,
  ) {}

  add(name: string, labels: Attributes, amount: number): void {
    this.#of(name, labels).value += amount;
  }

  set(name: string, labels: Attributes, level: number): void {
    this.#of(name, labels).value = level;
  }

  observe(name: string, labels: Attributes, value: number, example?: Example): void {
    const series = this.#of(name, labels);
    const bucket = series.instrument.bounds.findIndex((bound) => value <= bound);
    const place = bucket === -1 ? series.counts.length - 1 : bucket;
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
    const metrics = [...Map.groupBy(this.#series.values(), ({ instrument }) => instrument)]
      .map(([instrument, series]) => ({
        instrument,
        dataPoints: series.flatMap((one) => one.points.splice(0)),
      })).filter(({ dataPoints }) => dataPoints.length > 0)
      .map(({ instrument, dataPoints }) => metricOf(instrument, dataPoints));
    if (metrics.length === 0) return null;
    const resource = { attributes: attributes(this.resource) };
    const scopeMetrics = [{ scope: { name: "shop" }, metrics }];
    return { signal: "metrics", body: { resourceMetrics: [{ resource, scopeMetrics }] } };
  }

  #of(name: string, labels: Attributes): Series {
    const key = JSON.stringify([name, labels]);
    const instrument = INSTRUMENTS.get(name);
    if (instrument === undefined) throw new RangeError(`There is no instrument ${name}`);
    const counts = Array.from({ length: instrument.bounds.length + 1 }, () => 0);
    const made = {
      instrument,
      attributes: labels,
      value: 0,
      count: 0,
      counts,
      examples: [],
      points: [],
    };
    const series = this.#series.get(key) ?? made;
    this.#series.set(key, series);
    return series;
  }

  #pointOf(series: Series, time: number): Json {
    const { instrument: { kind, bounds }, value, count, counts } = series;
    const common = { attributes: attributes(series.attributes), timeUnixNano: nanos(time) };
    if (kind === "gauge") return { ...common, asDouble: value };
    const started = { ...common, startTimeUnixNano: nanos(this.startedAt) };
    if (kind === "counter") return { ...started, asDouble: value };
    const exemplars = series.examples.splice(0).map(({ time, value, traceId, spanId }) => {
      return { timeUnixNano: nanos(time), asDouble: value, traceId, spanId };
    });
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

const CUMULATIVE = 2;

function metricOf(
  { kind, name, unit, description }: Instrument,
  dataPoints: readonly Json[],
): Json {
  const common = { name, unit, description };
  if (kind === "gauge") return { ...common, gauge: { dataPoints } };
  const data = { dataPoints, aggregationTemporality: CUMULATIVE };
  return kind === "counter"
    ? { ...common, sum: { ...data, isMonotonic: true } }
    : { ...common, histogram: data };
}
