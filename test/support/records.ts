/** Valid records with as little as possible in them, for tests of what is stored and shown. */
import type {
  Attachment,
  CheckIn,
  Feedback,
  LogRecord,
  MetricBatch,
  Profile,
  SessionCounts,
  SessionUpdate,
  Span,
  SpanBatch,
  Transaction,
} from "../../lib/records/mod.ts";
import { newEventId } from "./error_event.ts";

const newSpanId = () => newEventId().slice(0, 16);

function origin() {
  const now = new Date();
  return { timestamp: now, receivedAt: now, environment: "production", release: "shop@1.0" };
}

export function transactionRecord(fields: Partial<Transaction> = {}): Transaction {
  const common = origin();
  return {
    kind: "transaction",
    ...common,
    eventId: newEventId(),
    sentAs: "transaction",
    traceId: newEventId(),
    spanId: newSpanId(),
    parentSpanId: null,
    startedAt: new Date(common.timestamp.getTime() - 120),
    durationMs: 120,
    name: "GET /orders/:id",
    source: "route",
    op: "http.server",
    status: "ok",
    httpMethod: "GET",
    httpStatus: 200,
    isFailed: false,
    route: "/orders/:id",
    service: "",
    platform: "node",
    dist: "",
    user: null,
    tags: [["server_name", "web-1"]],
    sdk: "sentry.javascript.node/10.0.0",
    measurements: [{ name: "lcp", value: 1200, unit: "millisecond" }],
    clientSampleRate: 1,
    serverSampleRate: 1,
    profileId: null,
    profilerId: null,
    payload: "{}",
    ...fields,
  };
}

export function spanRecord(fields: Partial<Span> = {}): Span {
  const end = Date.now() / 1000;
  return {
    spanId: newSpanId(),
    parentSpanId: null,
    segmentId: null,
    isSegment: false,
    start: end - 0.05,
    end,
    name: "",
    kind: "",
    op: "db",
    description: "select 1",
    category: "db",
    group: "select ?",
    status: "ok",
    origin: "manual",
    data: { "db.system.name": "postgresql" },
    measurements: [],
    events: [],
    links: [],
    ...fields,
  };
}

export function spanBatchRecord(fields: Partial<SpanBatch> = {}): SpanBatch {
  return {
    kind: "spans",
    ...origin(),
    batchId: newEventId(),
    traceId: newEventId(),
    transaction: "GET /orders/:id",
    service: "",
    platform: "node",
    sdk: "",
    clientSampleRate: 1,
    serverSampleRate: 1,
    resource: {},
    spans: [spanRecord(), spanRecord()],
    ...fields,
  };
}

export function attachmentRecord(fields: Partial<Attachment> = {}): Attachment {
  const { timestamp, receivedAt } = origin();
  const attachmentId = fields.attachmentId ?? newEventId();
  return {
    kind: "attachment",
    attachmentId,
    eventId: newEventId(),
    timestamp,
    receivedAt,
    filename: "log.txt",
    contentType: "text/plain",
    attachmentType: "event.attachment",
    blob: { key: `attachments/1/2026-11-20/${attachmentId}`, bytes: new TextEncoder().encode("x") },
    ...fields,
  };
}

export function feedbackRecord(fields: Partial<Feedback> = {}): Feedback {
  return {
    kind: "feedback",
    ...origin(),
    traceId: null,
    spanId: null,
    feedbackId: newEventId(),
    eventId: null,
    message: "The button does nothing",
    name: "Ann",
    email: "ann@example.com",
    url: "https://shop.example.com/cart",
    source: "widget",
    platform: "javascript",
    user: null,
    payload: "{}",
    ...fields,
  };
}

export function sessionRecord(fields: Partial<SessionUpdate> = {}): SessionUpdate {
  return {
    kind: "session",
    ...origin(),
    sessionId: newEventId(),
    userHash: null,
    seq: 1,
    status: "ok",
    errors: 0,
    durationSec: null,
    ...fields,
  };
}

export function sessionCountsRecord(fields: Partial<SessionCounts> = {}): SessionCounts {
  const common = origin();
  const zero = { errored: 0, unhandled: 0, abnormal: 0, crashed: 0 };
  return {
    kind: "sessions",
    ...common,
    aggregates: [{ startedAt: common.timestamp, userHash: null, exited: 1, ...zero }],
    ...fields,
  };
}

export function checkInRecord(fields: Partial<CheckIn> = {}): CheckIn {
  return {
    kind: "check_in",
    ...origin(),
    checkInId: newEventId(),
    monitorSlug: "nightly-report",
    status: "in_progress",
    durationSec: null,
    traceId: null,
    monitorConfig: null,
    log: null,
    ...fields,
  };
}

export function logRecord(fields: Partial<LogRecord> = {}): LogRecord {
  return {
    kind: "log",
    ...origin(),
    traceId: null,
    spanId: null,
    logId: newEventId(),
    nanos: 0,
    place: 0,
    level: "info",
    body: "Order placed",
    logger: "",
    server: "web-1",
    sdk: "",
    attributes: "{}",
    ...fields,
  };
}

export function profileRecord(fields: Partial<Profile> = {}): Profile {
  const profileId = fields.profileId ?? newEventId();
  return {
    kind: "profile",
    ...origin(),
    traceId: null,
    spanId: null,
    profileId,
    source: "pprof",
    profileKind: "cpu",
    service: "shop",
    instance: "",
    platform: "go",
    durationMs: 100,
    periodType: "cpu:nanoseconds",
    period: 10_000_000n,
    samples: 10,
    totals: [
      { type: "samples", unit: "count", total: 10n },
      { type: "cpu", unit: "nanoseconds", total: 100_000_000n },
    ],
    isDelta: true,
    labels: {},
    traces: [],
    transaction: "",
    transactionId: null,
    profilerId: null,
    blob: { key: `profiles/1/2026-11-20/${profileId}`, bytes: new Uint8Array([1, 2, 3]) },
    original: null,
    ...fields,
  };
}

/** A counter that was observed once. */
export function metricRecord(fields: Partial<MetricBatch> = {}): MetricBatch {
  const { timestamp, receivedAt } = { ...origin(), ...fields };
  return {
    kind: "metrics",
    batchId: newEventId(),
    timestamp,
    receivedAt,
    series: [{
      shape: "number",
      metric: { name: "orders.placed", kind: "counter", unit: "", description: "" },
      temporality: "observed",
      labels: [["environment", "production"]],
      exemplars: [],
      points: [{ timeMs: timestamp.getTime(), startMs: 0, value: 1 }],
    }],
    pointCount: 1,
    ...fields,
  };
}
