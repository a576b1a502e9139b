import type { Label, Metric, MetricBatch, MetricSeries, NumberSeries } from "@/lib/records/mod.ts";

const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Series by what they are like, in tenths. */
const KINDS = [
  "requests",
  "requests",
  "requests",
  "bytes",
  "cpu",
  "memory",
  "share",
  "queue",
  "queue",
  "duration",
];

interface State {
  readonly kind: string;
  readonly metric: Metric;
  readonly labels: readonly Label[];
  /** How busy it is, 0 to 1. */
  readonly load: number;
  value: number;
  counts: number[];
  sum: number;
}

/**
 * Series as services have them: counters of requests and bytes, seconds of processor time, levels of memory, shares and
 * queues, histograms of durations. All of a host have their points at one time, a few milliseconds off the beat.
 */
export class WorldOfSeries {
  readonly #states: State[];
  #seed = 1;

  constructor(series: number, readonly startMs: number) {
    this.#states = Array.from({ length: series }, (_, place) => this.#newState(place));
  }

  /** One point of each series. */
  batchAt(timeMs: number, intervalMs: number): MetricBatch {
    const jitter = Math.round(this.#random() * 20);
    const series = this.#states.map((state) => this.#next(state, timeMs + jitter, intervalMs));
    return {
      kind: "metrics",
      batchId: crypto.randomUUID().replaceAll("-", ""),
      timestamp: new Date(timeMs + jitter),
      receivedAt: new Date(timeMs + jitter + 50),
      series,
      pointCount: series.length,
    };
  }

  #newState(place: number): State {
    const kind = KINDS[place % KINDS.length] ?? "queue";
    return {
      kind,
      metric: METRICS[kind] ?? { name: kind, kind: "gauge", unit: "1", description: "" },
      labels: [
        ["host", `host-${place % 50}`],
        ["region", `eu-${place % 3}`],
        ["route", `/api/resource-${Math.floor(place / 50)}`],
        ["service", `service-${place % 10}`],
      ],
      load: this.#random() ** 3,
      value: Math.floor(this.#random() * 1_000),
      counts: BOUNDS.map(() => 0).concat(0),
      sum: 0,
    };
  }

  #next(state: State, timeMs: number, intervalMs: number): MetricSeries {
    const { metric, labels, kind } = state;
    const base = { metric, labels, exemplars: [] };
    if (kind === "duration") {
      const count = Math.round(state.load * 40 * this.#random() * intervalMs / 15_000);
      for (let observation = 0; observation < count; observation++) {
        const value = 0.02 * Math.exp(2 * (this.#random() + this.#random() - 1));
        const bucket = BOUNDS.findIndex((bound) => value <= bound);
        const place = bucket === -1 ? BOUNDS.length : bucket;
        state.counts[place] = (state.counts[place] ?? 0) + 1;
        state.sum += value;
      }
      const point = {
        timeMs,
        startMs: this.startMs,
        count: state.counts.reduce((sum, count) => sum + count, 0),
        sum: state.sum,
        min: null,
        max: null,
        buckets: { kind: "explicit" as const, bounds: BOUNDS, counts: [...state.counts] },
      };
      return { ...base, shape: "histogram", temporality: "cumulative", points: [point] };
    }
    this.#step(state, intervalMs);
    const isGauge = metric.kind === "gauge";
    const number: NumberSeries = {
      ...base,
      shape: "number",
      temporality: isGauge ? "level" : "cumulative",
      points: [{ timeMs, startMs: isGauge ? 0 : this.startMs, value: state.value }],
    };
    return number;
  }

  #step(state: State, intervalMs: number): void {
    const { kind, load } = state;
    const share = intervalMs / 15_000;
    if (kind === "requests") state.value += Math.round(load * 300 * this.#random() * share);
    if (kind === "bytes") state.value += Math.round(load * 300_000 * this.#random() * share);
    if (kind === "cpu") state.value = hundredths(state.value + load * 15 * this.#random() * share);
    if (kind === "memory") {
      const pages = Math.round((this.#random() - 0.5) * 200 * load);
      state.value = Math.max(0, state.value + pages * 4_096);
    }
    if (kind === "share") state.value = hundredths(100 * load * (0.9 + 0.1 * this.#random()));
    if (kind === "queue") {
      state.value = Math.max(0, Math.round(load * 20 * this.#random()));
    }
  }

  /** Of its own, so that each run makes the same. */
  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}

const METRICS: Readonly<Record<string, Metric>> = {
  requests: { name: "http.requests", kind: "counter", unit: "{request}", description: "" },
  bytes: { name: "network.io", kind: "counter", unit: "By", description: "" },
  cpu: { name: "process.cpu.time", kind: "counter", unit: "s", description: "" },
  memory: { name: "process.memory.usage", kind: "gauge", unit: "By", description: "" },
  share: { name: "system.cpu.share", kind: "gauge", unit: "%", description: "" },
  queue: { name: "queue.length", kind: "gauge", unit: "{job}", description: "" },
  duration: { name: "http.duration", kind: "histogram", unit: "s", description: "" },
};

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
