import { readTraceProfiles } from "../profiles/mod.ts";
import type { Level, LogLevel, Measurement, Span } from "../records/mod.ts";
import { exactNanos, isFailedStatus, nearestMs } from "../records/span_rules.ts";
import type { Queryable, Sql } from "../store/database.ts";
import { packedColumns, type PackedRow, withSpans } from "../store/spans/stored_spans.ts";
import { unpackText } from "../store/values.ts";
import type { Trace, TraceError, TraceLog, TraceSpan, TraceSpanDetail } from "./trace_types.ts";

/** Spans of a trace that are read at once; a batch has at least one. */
export const MAX_TRACE_SPANS = 10_000;

const MAX = { spans: MAX_TRACE_SPANS, errors: 1_000, logs: 1_000 };
const MAX_TRANSACTIONS = 2_000;

/**
 * Everything that a project has stored of a trace, or null when it has nothing. See `organization_trace.ts` for the whole.
 *
 * @param traceId 32 hex digits
 */
export async function readTrace(
  sql: Sql,
  projectId: string,
  traceId: string,
): Promise<Trace | null> {
  const [batches, entries, errors, logs, profiles] = await Promise.all([
    readTraceBatches(sql, projectId, traceId),
    readEntries(sql, projectId, traceId),
    readErrors(sql, projectId, traceId),
    readLogs(sql, projectId, traceId),
    readTraceProfiles(sql, projectId, traceId),
  ]);
  const spans = new Map<string, TraceSpan>();
  for (const entry of entries) spans.set(entry.spanId, entry);
  for (const batch of batches) {
    for (const span of batch.spans) {
      const entry = spans.get(span.spanId);
      if (entry === undefined) spans.set(span.spanId, spanOf(span, batch));
      // Rows of transactions have no kind and no nanoseconds.
      else {
        spans.set(span.spanId, { ...entry, kind: span.kind || entry.kind, ...timesOfSpan(span) });
      }
    }
  }
  if (spans.size + errors.length + logs.length + profiles.length === 0) return null;
  const isCut = spans.size > MAX.spans || batches.reduce((sum, { count }) => sum + count, 0) >
      MAX.spans ||
    errors.length === MAX.errors || logs.length === MAX.logs;
  const placed = <T>(parts: readonly T[]) => parts.map((part) => ({ ...part, projectId }));
  return {
    traceId,
    spans: placed([...spans.values()].sort(byStart).slice(0, MAX.spans)),
    errors: placed(errors),
    logs: placed(logs),
    profiles: placed(profiles),
    isCut,
  };
}

/** All that is known of one span of a trace, or null when it is not stored. */
export async function readTraceSpan(
  sql: Sql,
  projectId: string,
  traceId: string,
  spanId: string,
): Promise<TraceSpanDetail | null> {
  const [batches, transaction] = await Promise.all([
    readTraceBatches(sql, projectId, traceId, spanId),
    readTransaction(sql, projectId, traceId, spanId),
  ]);
  for (const batch of batches) {
    const span = batch.spans.find((each) => each.spanId === spanId);
    if (span === undefined) continue;
    const { measurements, events, links, origin, data } = span;
    const { resource, sdk } = batch;
    return {
      ...spanOf(span, batch),
      attributes: data,
      resource,
      measurements,
      events,
      links,
      sdk,
      origin,
    };
  }
  return transaction;
}

/** The order of spans: by start, then by id. */
export function byStart(a: TraceSpan, b: TraceSpan): number {
  return a.start - b.start || (a.spanId < b.spanId ? -1 : 1);
}

function spanOf(span: Span, batch: TraceBatch): TraceSpan {
  return {
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    ...timesOfSpan(span),
    title: span.description || span.name || span.op,
    op: span.op,
    kind: span.kind,
    category: span.category,
    status: span.status,
    isFailed: isFailedStatus(span.status),
    isEntry: span.isSegment,
    service: batch.service || batch.platform,
    environment: batch.environment,
    release: batch.release,
  };
}

function timesOfSpan({ start, end, fine = [0, 0] }: Span) {
  return timesOf(exactNanos(start, fine[0]), exactNanos(end, fine[1]));
}

function timesOf(start: bigint, end: bigint) {
  return {
    start: nearestMs(start),
    end: nearestMs(end),
    startNanos: String(start),
    endNanos: String(end),
  };
}

interface EntryRow {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** Microseconds since 1970. */
  readonly started: string;
  readonly durationMs: number;
  readonly title: string;
  readonly op: string;
  readonly status: string;
  readonly isFailed: boolean;
  readonly service: string;
  readonly environment: string;
  readonly release: string;
}

/** Transactions: the spans that are no part of a batch, or have a better name than there. */
async function readEntries(
  sql: Queryable,
  projectId: string,
  traceId: string,
): Promise<TraceSpan[]> {
  const rows = await sql<EntryRow[]>`
    select
      span_id as "spanId", parent_span_id as "parentSpanId",
      (extract(epoch from started_at) * 1000000)::bigint::text as started,
      duration_ms as "durationMs", name as title, op, status, is_failed as "isFailed",
      coalesce(nullif(service, ''), platform) as service, environment, release
    from transactions
    where project_id = ${projectId} and trace_id = ${traceId}
    order by started_at, span_id
    limit ${MAX_TRANSACTIONS}
  `;
  return rows.map(entryOf);
}

function entryOf({ started, durationMs, ...facts }: EntryRow): TraceSpan {
  const start = BigInt(started) * 1_000n;
  return {
    ...facts,
    ...timesOf(start, start + BigInt(Math.round(durationMs * 1e6))),
    kind: facts.op.endsWith(".server") ? "server" : "",
    category: "",
    isEntry: true,
  };
}

/** A transaction as its span: attributes are those of its event. */
async function readTransaction(
  sql: Queryable,
  projectId: string,
  traceId: string,
  spanId: string,
): Promise<TraceSpanDetail | null> {
  const [row] = await sql<(EntryRow & TransactionFacts)[]>`
    select
      span_id as "spanId", parent_span_id as "parentSpanId",
      (extract(epoch from started_at) * 1000000)::bigint::text as started,
      duration_ms as "durationMs", name as title, op, status, is_failed as "isFailed",
      coalesce(nullif(service, ''), platform) as service, environment, release, measurements, payload, tags
    from transactions
    where project_id = ${projectId} and trace_id = ${traceId} and span_id = ${spanId}
    limit 1
  `;
  if (row === undefined) return null;
  const { measurements, payload, tags, ...entry } = row;
  return {
    ...entryOf(entry),
    ...transactionAttributes({ measurements, payload, tags }),
    resource: {},
    events: [],
    links: [],
  };
}

async function readErrors(sql: Queryable, projectId: string, traceId: string) {
  const rows = await sql<
    (Omit<TraceError, "time" | "level"> & { timestamp: Date; level: Level })[]
  >`
    select
      replace(event_id::text, '-', '') as "eventId", issue_id as "issueId", "timestamp", event.level,
      event.title, culprit, span_id as "spanId"
    from events as event
    join issues on issues.project_id = event.project_id and issues.id = event.issue_id
    where event.project_id = ${projectId} and trace_id = ${traceId}
    order by "timestamp"
    limit ${MAX.errors}
  `;
  return rows.map(({ timestamp, ...error }): TraceError => ({
    ...error,
    time: timestamp.getTime(),
  }));
}

async function readLogs(sql: Queryable, projectId: string, traceId: string) {
  const rows = await sql<
    (Omit<TraceLog, "time" | "level"> & { timestamp: Date; nanos: number; level: LogLevel })[]
  >`
    select
      replace(log_id::text, '-', '') as "logId", "timestamp", nanos, level,
      left(body, 500) as body, span_id as "spanId"
    from logs
    where project_id = ${projectId} and trace_id = ${traceId}
    order by "timestamp", nanos, received_at, place, log_id
    limit ${MAX.logs}
  `;
  return rows.map(({ timestamp, nanos, ...log }): TraceLog => ({
    ...log,
    time: timestamp.getTime() + nanos / 1e6,
  }));
}

/** The spans that one sender told of a trace in one request. */
interface TraceBatch {
  /** By start. */
  readonly spans: readonly Span[];
  readonly count: number;
  readonly environment: string;
  readonly release: string;
  readonly service: string;
  readonly platform: string;
  readonly sdk: string;
  /** Attributes of the sender. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/**
 * The batches of a trace, earliest first, as many as hold the spans that are read at once, and one more if there is one:
 * without it nobody could tell that spans are missing.
 *
 * @param spanId only batches that may hold this span: its bytes may stand across two ids as well
 */
export async function readTraceBatches(
  sql: Queryable,
  projectId: string,
  traceId: string,
  spanId: string | null = null,
): Promise<TraceBatch[]> {
  const rows = await sql<
    (PackedRow & Omit<TraceBatch, "spans" | "resource"> & {
      resource: TraceBatch["resource"] | null;
    })[]
  >`
    select
      ${packedColumns(sql)}, span_count as count, environment, release, service, platform, sdk,
      resource
    from (
      select *, sum(span_count) over (order by "timestamp", batch_id) - span_count as before
      from span_batches
      where project_id = ${projectId} and trace_id = ${traceId}
        ${spanId === null ? sql`` : sql`and position(decode(${spanId}, 'hex') in span_ids) > 0`}
      order by "timestamp", batch_id
      limit ${MAX_TRACE_SPANS}
    ) as batch
    left join lateral (
      select environment, release, service, platform, sdk, resource from span_sources
      where project_id = ${projectId} and source_id = batch.source_id
        and "timestamp" = date_trunc('day', batch."timestamp", 'UTC')
    ) as source on true
    where before <= ${MAX_TRACE_SPANS}
    order by batch."timestamp", batch_id
  `;
  const read = await withSpans(sql, projectId, rows);
  return read.map((row) => ({ ...row, resource: row.resource ?? {} }));
}

/** What a stored transaction says beside its columns. */
export interface TransactionFacts {
  readonly measurements: Readonly<
    Record<string, { readonly value: number; readonly unit: string }>
  >;
  readonly payload: Uint8Array;
  readonly tags: Readonly<Record<string, string>>;
}

/** A transaction's event seen as a span. */
interface TransactionAttributes {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly measurements: readonly Measurement[];
  readonly origin: string;
  /** `name/version`, or `""`. */
  readonly sdk: string;
}

/** Attributes of a transaction that is no part of a batch: those of its event. */
export function transactionAttributes(
  { measurements, payload, tags }: TransactionFacts,
): TransactionAttributes {
  const event = payload.length === 0 ? {} : JSON.parse(unpackText(payload));
  const trace = event.contexts?.trace ?? {};
  return {
    attributes: { ...tags, ...trace.data, ...requestFacts(event) },
    measurements: Object.entries(measurements).map(([name, measured]) => ({ name, ...measured })),
    origin: trace.origin ?? "",
    sdk: [event.sdk?.name, event.sdk?.version].filter((part) => part).join("/"),
  };
}

/** What people look for first of the request and the user. */
function requestFacts(
  event: { request?: { url?: unknown; method?: unknown }; user?: { id?: unknown } },
): Record<string, unknown> {
  const facts = {
    "url.full": event.request?.url,
    "http.request.method": event.request?.method,
    "user.id": event.user?.id,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
