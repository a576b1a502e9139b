/** What the spans of a trace carry, for readers that want all of it at once. */
import type { Queryable, Sql } from "../store/database.ts";
import type { Measurement, SpanEvent, SpanLink } from "../records/mod.ts";
import { unpackSpans } from "../store/pack.ts";
import { readTraceBatches } from "./trace_batches.ts";
import { transactionAttributes, type TransactionFacts } from "./transaction_attributes.ts";

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
