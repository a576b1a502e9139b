/** What this process counts about itself. Shown by `GET /metrics` and on the Instance page. */
import { SharedNumbers } from "./numbers.ts";

/** How requests come; the last one stands for all others. */
export const PROTOCOL_NAMES = [
  "sentry_envelope",
  "sentry_store",
  "sentry_security",
  "sentry_nel",
  "sentry_cron",
  "sentry_crash",
  "otlp_traces",
  "otlp_logs",
  "otlp_metrics",
  "otlp_profiles",
  "pprof",
  "pyroscope_push",
  "prometheus_write",
  "other",
] as const;

/** What became of a request. */
export const REQUEST_OUTCOMES = [
  "stored",
  "spooled",
  "rate_limited",
  "over_quota",
  "unauthorized",
  "too_large",
  "unavailable",
  "invalid",
] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

export const RECORD_KINDS = [
  "error",
  "transaction",
  "span",
  "log",
  "metric_point",
  "profile",
  "session",
  "check_in",
  "attachment",
  "feedback",
  "other",
] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** How this instance tells of itself: to the project that watches it, and to `SERVICE_OTLP_ENDPOINT`. */
export const OWN_WAYS = ["watch", "otlp"] as const;

export const POOLS = ["pages", "intake"] as const;

/** Seconds, from a look into a cache to a client's patience. */
const TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Isolates of one process, whose numbers are added up, define them here in the same order. */
export const NUMBERS = new SharedNumbers();

export const MEASURES = {
  requests: NUMBERS.counter({
    name: "watchpost_requests",
    help:
      "Requests of the intake by protocol and what became of them; spooled ones are kept for later.",
    labels: { protocol: PROTOCOL_NAMES, outcome: REQUEST_OUTCOMES },
  }),
  requestDuration: NUMBERS.histogram({
    name: "watchpost_request_duration_seconds",
    help: "Time from a request of the intake to its answer, its body's way included.",
    bounds: TIMES,
  }),
  answers: NUMBERS.counter({
    name: "watchpost_http_answers",
    help: "Answers of pages, the API and everything else, by class of status.",
    labels: {
      area: ["page", "api", "intake"],
      status: ["2xx", "3xx", "4xx", "5xx", "1xx"],
    },
  }),
  recordsStored: NUMBERS.counter({
    name: "watchpost_records_stored",
    help: "Records that are durable, by kind; of spans and metrics each span and point.",
    labels: { kind: RECORD_KINDS },
  }),
  commitDuration: NUMBERS.histogram({
    name: "watchpost_commit_duration_seconds",
    help: "Time of a transaction of the writer, until it is durable.",
    bounds: TIMES,
  }),
  commitRecords: NUMBERS.histogram({
    name: "watchpost_commit_records",
    help: "Records that one transaction of the writer has stored.",
    bounds: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
  }),
  commitFailures: NUMBERS.counter({
    name: "watchpost_commit_failures",
    help: "Transactions of the writer that Postgres has not taken.",
  }),
  queueRecords: NUMBERS.gauge({
    name: "watchpost_queue_records",
    help: "Records that wait for a transaction.",
  }),
  queueBytes: NUMBERS.gauge({
    name: "watchpost_queue_bytes",
    help: "Bytes of the records that wait for a transaction.",
  }),
  queueAge: NUMBERS.gauge({
    name: "watchpost_queue_age_seconds",
    help: "How long the oldest records have waited for a transaction.",
    isMost: true,
  }),
  kvLatency: NUMBERS.histogram({
    name: "watchpost_kv_latency_seconds",
    help: "Time of a read of Deno KV, tried every five seconds.",
    bounds: TIMES,
  }),
  postgresLatency: NUMBERS.histogram({
    name: "watchpost_postgres_latency_seconds",
    help:
      "Time of the smallest statement, the wait for a connection of the pool included, tried every five seconds.",
    bounds: TIMES,
    labels: { pool: POOLS },
  }),
  probeFailures: NUMBERS.counter({
    name: "watchpost_store_probe_failures",
    help: "Tries of a store without an answer within two seconds.",
    labels: { store: ["kv", "postgres_pages", "postgres_intake"] },
  }),
  loopLag: NUMBERS.histogram({
    name: "watchpost_event_loop_lag_seconds",
    help: "How late a timer of each isolate fires: all work waits as long. Tried twice a second.",
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  }),
  heap: NUMBERS.gauge({
    name: "watchpost_heap_used_bytes",
    help: "Bytes of JavaScript objects in all isolates.",
  }),
  ownPieces: NUMBERS.counter({
    name: "watchpost_own_pieces",
    help:
      "What this instance told of itself: errors, profiles, traces and measures; dropped when it is not taken, or too much.",
    labels: { way: OWN_WAYS, outcome: ["sent", "dropped"] },
  }),
  ownSentAt: NUMBERS.gauge({
    name: "watchpost_own_sent_time_seconds",
    help: "When something of it was taken last, in seconds since 1970; 0: never.",
    labels: { way: OWN_WAYS },
    isMost: true,
  }),
  isolates: NUMBERS.gauge({
    name: "watchpost_isolates",
    help: "Isolates by which this process serves.",
  }),
};

NUMBERS.open();
