/** What the spans of a trace carry, for readers that want all of it at once. */
import type { Queryable, Sql } from "./database.ts";
import { unpackText } from "./packed_text.ts";
import type { Measurement, SpanEvent, SpanLink } from "./records.ts";
import { type PackedSpans, unpackSpans } from "./spans/pack.ts";

export interface CarriedBySpan {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly measurements: readonly Measurement[];
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  /** The place of the process in `resources`, or null: Sentry's SDKs tell nothing of it. */
  readonly resource: number | null;
}

export interface TraceAttributes {
  /** By span id. */
  readonly spans: ReadonlyMap<string, CarriedBySpan>;
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** Some spans are missing, since all together carry too much. */
  readonly isCut: boolean;
}

/** As many spans as a trace is read with. */
const MAX_SPANS = 10_000;
const MAX_TRANSACTIONS = 2_000;
/** Characters of JSON text. */
const MAX_SIZE = 20_000_000;

/**
 * Reads what the spans of a trace carry, the earliest first, until it is too much for one answer.
 *
 * @param traceId 32 lower-case hex digits
 */
export async function readTraceAttributes(
  sql: Sql,
  projectId: string,
  traceId: string,
): Promise<TraceAttributes> {
  const [batches, transactions] = await Promise.all([
    readBatches(sql, projectId, traceId),
    readTransactions(sql, projectId, traceId),
  ]);
  const tally = new Tally();
  for (const { resource, ...packed } of batches) {
    if (tally.isCut) break;
    const place = tally.placeOf(resource);
    for (const { spanId, data, measurements, events, links } of unpackSpans(packed)) {
      tally.add(spanId, { attributes: data, measurements, events, links, resource: place });
    }
  }
  // Nearly all of them are in a batch as well, with more.
  for (const transaction of transactions) {
    if (!tally.spans.has(transaction.spanId)) tally.add(transaction.spanId, carriedBy(transaction));
  }
  return tally;
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
  placeOf(resource: Readonly<Record<string, unknown>> | null): number | null {
    const text = JSON.stringify(resource ?? {});
    if (resource === null || text === "{}") return null;
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.resources.length);
    return this.resources.push(resource) - 1;
  }
}

interface BatchRow extends PackedSpans {
  readonly resource: Readonly<Record<string, unknown>> | null;
}

async function readBatches(sql: Queryable, projectId: string, traceId: string) {
  return await sql<BatchRow[]>`
    select span_ids as ids, spans as bytes, resource
    from (
      select *, sum(span_count) over (order by "timestamp", batch_id) - span_count as before
      from span_batches
      where project_id = ${projectId} and trace_id = ${traceId}
      order by "timestamp", batch_id
      limit ${MAX_SPANS}
    ) as batch
    left join lateral (
      select resource from span_sources
      where project_id = ${projectId} and source_id = batch.source_id
        and "timestamp" = date_trunc('day', batch."timestamp", 'UTC')
    ) as source on true
    where before < ${MAX_SPANS}
    order by batch."timestamp", batch_id
  `;
}

interface TransactionRow {
  readonly spanId: string;
  readonly measurements: Readonly<Record<string, { value: number; unit: string }>>;
  readonly payload: Uint8Array;
  readonly tags: Readonly<Record<string, string>>;
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

function carriedBy({ measurements, payload, tags }: TransactionRow): CarriedBySpan {
  const event = payload.length === 0 ? {} : JSON.parse(unpackText(payload));
  return {
    attributes: { ...tags, ...event.contexts?.trace?.data, ...requestFacts(event) },
    measurements: Object.entries(measurements).map(([name, measured]) => ({ name, ...measured })),
    events: [],
    links: [],
    resource: null,
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
