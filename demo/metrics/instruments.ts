/** What the shop measures, by the names of OpenTelemetry's semantic conventions and some of its own. */

export interface Instrument {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly unit: string;
  readonly description: string;
  /** Of histograms: upper bounds of the buckets but for the last. */
  readonly bounds?: readonly number[];
}

const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export const INSTRUMENTS = {
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

export type InstrumentName = keyof typeof INSTRUMENTS;
