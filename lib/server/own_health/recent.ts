/** What this process did in the last minute: the difference of two readings of its measures. */
import {
  MEASURES,
  PROTOCOL_NAMES,
  RECORD_KINDS,
  REQUEST_OUTCOMES,
  type RequestOutcome,
} from "../../core/measures/measures.ts";
import type { Distribution } from "../../core/measures/numbers.ts";

/** As many readings as there are in a minute. */
const KEPT = 13;

interface Reading {
  /** On the clock of `performance.now()`. */
  readonly at: number;
  readonly requests: ReadonlyMap<RequestOutcome, number>;
  readonly records: number;
  readonly spans: Readonly<Record<SpanName, Distribution>>;
}

/** What is spread over times and sizes. */
type SpanName = "commit" | "commitRecords" | "kv" | "postgresPages" | "postgresIntake" | "lag";

const readings: Reading[] = [];

/** Keeps a reading, every five seconds. */
export function noteReading(): void {
  readings.push(read());
  if (readings.length > KEPT) readings.shift();
}

function read(): Reading {
  const requestsOf = (outcome: RequestOutcome) =>
    PROTOCOL_NAMES.reduce((sum, name) => sum + MEASURES.requests.total(name, outcome), 0);
  return {
    at: performance.now(),
    requests: new Map(REQUEST_OUTCOMES.map((outcome) => [outcome, requestsOf(outcome)])),
    records: RECORD_KINDS.reduce((sum, kind) => sum + MEASURES.recordsStored.total(kind), 0),
    spans: {
      commit: MEASURES.commitDuration.read(),
      commitRecords: MEASURES.commitRecords.read(),
      kv: MEASURES.kvLatency.read(),
      postgresPages: MEASURES.postgresLatency.read("pages"),
      postgresIntake: MEASURES.postgresLatency.read("intake"),
      lag: MEASURES.loopLag.read(),
    },
  };
}

export interface RecentLoad {
  /** Over which it was measured. */
  readonly seconds: number;
  /** A second. */
  readonly stored: number;
  readonly spooled: number;
  readonly refused: number;
  readonly records: number;
  readonly commitsASecond: number;
  readonly recordsACommit: number;
  /** Seconds; null where nothing was measured. */
  readonly commit: Spread | null;
  readonly kv: Spread | null;
  readonly postgresPages: Spread | null;
  readonly postgresIntake: Spread | null;
  readonly lag: Spread | null;
}

export interface Spread {
  readonly median: number;
  readonly p95: number;
}

/** @returns null in the first seconds of a process */
export function recentLoad(): RecentLoad | null {
  const before = readings[0];
  if (before === undefined) return null;
  const now = read();
  const seconds = (now.at - before.at) / 1_000;
  if (seconds < 1) return null;
  const rate = (outcome: RequestOutcome) =>
    ((now.requests.get(outcome) ?? 0) - (before.requests.get(outcome) ?? 0)) / seconds;
  const refused = REQUEST_OUTCOMES.filter((each) => each !== "stored" && each !== "spooled");
  const spread = (name: SpanName) => spreadOf(between(before.spans[name], now.spans[name]));
  const commits = between(before.spans.commitRecords, now.spans.commitRecords);
  return {
    seconds,
    stored: rate("stored"),
    spooled: rate("spooled"),
    refused: refused.reduce((sum, outcome) => sum + rate(outcome), 0),
    records: (now.records - before.records) / seconds,
    commitsASecond: commits.count / seconds,
    recordsACommit: commits.count === 0 ? 0 : commits.sum / commits.count,
    commit: spread("commit"),
    kv: spread("kv"),
    postgresPages: spread("postgresPages"),
    postgresIntake: spread("postgresIntake"),
    lag: spread("lag"),
  };
}

/** What came between two readings of one histogram. */
export function between(before: Distribution, now: Distribution): Distribution {
  return {
    count: now.count - before.count,
    sum: now.sum - before.sum,
    buckets: now.buckets.map(({ bound, count }, index) => ({
      bound,
      count: count - (before.buckets[index]?.count ?? 0),
    })),
  };
}

export function spreadOf(distribution: Distribution): Spread | null {
  if (distribution.count === 0) return null;
  return { median: quantile(distribution, 0.5), p95: quantile(distribution, 0.95) };
}

/** As Prometheus reckons it: values lie evenly in their bucket, and none above the last bound. */
export function quantile({ count, buckets }: Distribution, share: number): number {
  let left = count * share;
  let lower = 0;
  for (const { bound, count } of buckets) {
    if (bound === Infinity) return lower;
    if (left <= count && count > 0) return lower + (bound - lower) * (left / count);
    left -= count;
    lower = bound;
  }
  return lower;
}
