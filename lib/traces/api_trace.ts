import type { ProjectAccess } from "../accounts/authorize.ts";
import { type ApiContext, ApiError } from "../api/route.ts";
import { rounded } from "../api/lists.ts";
import type { Measurement, SpanEvent, SpanLink } from "../records/mod.ts";
import { exactNanos, msBetween } from "../records/span_rules.ts";
import type { Queryable, Sql } from "../store/database.ts";
import { openTrace } from "./open_trace.ts";
import { readTraceBatches, transactionAttributes, type TransactionFacts } from "./read_trace.ts";
import type { TraceSpan } from "./trace_types.ts";

/**
 * One trace with its spans, errors, logs and profiles, each of them with the project that it was sent to, from all
 * projects of the organization; those that the asker may not see are counted. Times are milliseconds since 1970, those as sent nanoseconds as a text. With `?attributes=1` spans
 * come with all that they carry.
 */
export async function traceReply(
  ctx: ApiContext,
  access: ProjectAccess,
  { query: { attributes: isFull } }: { readonly query: { readonly attributes: boolean } },
) {
  const { sql } = ctx.state.services;
  const traceId = readTraceId(ctx.params.trace ?? "");
  const opened = await openTrace(ctx.state, access, traceId);
  if (opened === null) throw traceNotFound();
  const { trace: { spans, errors, logs, profiles, isCut, hidden }, projects } = opened;
  const ids = projects.map(({ id }) => id);
  const carried = isFull ? await readTraceAttributes(sql, ids, traceId) : null;
  return {
    id: traceId,
    isCut,
    projects: projects.map(({ id, slug, name }) => ({ id, slug, name })),
    hidden,
    ...extentOf(spans),
    spans: spans.map((span) => (
      { ...spanJson(span), ...carriedJson(carried?.spans.get(span.spanId)) }
    )),
    ...carried && { resources: carried.resources, areAttributesCut: carried.isCut },
    errors,
    logs,
    profiles: profiles.map(({ durationMs, ...profile }) => (
      { ...profile, duration: rounded(durationMs) }
    )),
  };
}

/** Sentry's SDKs tell no kind of most spans: those have none here either. */
function spanJson({ start, end, kind, startNanos, endNanos, ...span }: TraceSpan) {
  return {
    ...span,
    ...kind !== "" && { kind },
    start: rounded(start),
    end: rounded(end),
    startNanos,
    endNanos,
    duration: msBetween(BigInt(startNanos), BigInt(endNanos)),
  };
}

function carriedJson(carried: CarriedBySpan | undefined) {
  return carried && {
    ...carried,
    events: carried.events.map(({ fine, ...event }) => ({
      ...event,
      time: rounded(event.time * 1_000),
      timeNanos: String(exactNanos(event.time, fine)),
    })),
  };
}

/** From the first start to the last end; a trace may consist of logs and errors alone. */
function extentOf(spans: readonly TraceSpan[]) {
  if (spans.length === 0) return { start: null, duration: null };
  const start = spans.reduce((least, span) => Math.min(least, span.start), Infinity);
  const end = spans.reduce((most, span) => Math.max(most, span.end), -Infinity);
  return { start: rounded(start), duration: rounded(end - start) };
}

/** 32 lower-case hex digits out of what clients write. @throws {ApiError} 404 for anything else */
export function readTraceId(text: string): string {
  const id = text.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(id)) throw traceNotFound();
  return id;
}

/** Also for traces that exist where the actor may not look. */
export function traceNotFound(): ApiError {
  return ApiError.detail(404, "Trace not found");
}

interface CarriedBySpan {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly measurements: readonly Measurement[];
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  /** The place of the process in `resources`, or null: Sentry's SDKs tell nothing of it. */
  readonly resource: number | null;
}

interface TraceAttributes {
  /** By span id. */
  readonly spans: ReadonlyMap<string, CarriedBySpan>;
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** Some spans are missing, since all together carry too much. */
  readonly isCut: boolean;
}

const MAX_TRANSACTIONS = 2_000;
/** Characters of JSON text. */
const MAX_SIZE = 20_000_000;

/**
 * Reads what the spans of a trace carry, the earliest of each project first, until it is too much for one answer.
 *
 * @param projectIds of those that have parts of it; of a span that two tell of, the first holds
 * @param traceId 32 lower-case hex digits
 */
export async function readTraceAttributes(
  sql: Sql,
  projectIds: readonly string[],
  traceId: string,
): Promise<TraceAttributes> {
  const tally = new Tally();
  for (const projectId of projectIds) {
    if (!tally.isCut) await addProject(sql, projectId, traceId, tally);
  }
  return tally;
}

async function addProject(sql: Sql, projectId: string, traceId: string, tally: Tally) {
  const [batches, transactions] = await Promise.all([
    readTraceBatches(sql, projectId, traceId),
    readTransactions(sql, projectId, traceId),
  ]);
  for (const { resource, spans } of batches) {
    if (tally.isCut) break;
    const place = tally.placeOf(resource);
    for (const { spanId, data, measurements, events, links } of spans) {
      tally.add(spanId, { attributes: data, measurements, events, links, resource: place });
    }
  }
  // Nearly all of them are in a batch as well, with more.
  for (const transaction of transactions) {
    if (!tally.spans.has(transaction.spanId)) tally.add(transaction.spanId, carriedBy(transaction));
  }
}

class Tally implements TraceAttributes {
  readonly spans = new Map<string, CarriedBySpan>();
  readonly resources: Readonly<Record<string, unknown>>[] = [];
  isCut = false;
  readonly #places = new Map<string, number>();
  #size = 0;

  add(spanId: string, carried: CarriedBySpan): void {
    this.#size += JSON.stringify(carried).length;
    this.isCut ||= this.#size > MAX_SIZE;
    if (!this.isCut && !this.spans.has(spanId)) this.spans.set(spanId, carried);
  }

  /** Batches of one process share its resource. */
  placeOf(resource: Readonly<Record<string, unknown>>): number | null {
    const text = JSON.stringify(resource);
    if (text === "{}") return null;
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.resources.length);
    return this.resources.push(resource) - 1;
  }
}

interface TransactionRow extends TransactionFacts {
  readonly spanId: string;
}

async function readTransactions(sql: Queryable, projectId: string, traceId: string) {
  return await sql<TransactionRow[]>`
    select span_id as "spanId", measurements, payload, tags
    from transactions
    where project_id = ${projectId} and trace_id = ${traceId}
    order by started_at, span_id
    limit ${MAX_TRANSACTIONS}
  `;
}

function carriedBy(transaction: TransactionRow): CarriedBySpan {
  const { attributes, measurements } = transactionAttributes(transaction);
  return { attributes, measurements, events: [], links: [], resource: null };
}
