/** Who calls an HTTP endpoint, seen in the traces of some requests to it. */
import type { Sql } from "../../store/database.ts";
import { type EndpointEntry, type EndpointSelection, newestEntries } from "./endpoint_samples.ts";
import { DAY_MS } from "../../store/scope_filter.ts";

/** One transaction of one service whose spans lead to the endpoint. */
export interface EndpointCaller {
  /** Service name, or the platform where none was named. */
  readonly service: string;
  /** `""` when its trace does not tell. */
  readonly transaction: string;
  readonly count: number;
  readonly failures: number;
  /** Of the requests at the endpoint. */
  readonly averageMs: number;
  /** The newest of its traces. */
  readonly traceId: string;
}

export interface EndpointCallers {
  /** Requests that were looked at. */
  readonly sampled: number;
  /** Of them: those that began their trace. */
  readonly roots: number;
  /** Of them: those whose caller is not stored in this project. */
  readonly unknown: number;
  /** Most frequent first. */
  readonly callers: readonly EndpointCaller[];
}

/** Newest requests whose callers are looked for. */
export const CALLER_SAMPLE = 100;

const SPAN_ID = /^[0-9a-f]{16}$/;

/** Looks up the spans that the newest {@linkcode CALLER_SAMPLE} requests came from. */
export async function endpointCallers(
  sql: Sql,
  selection: EndpointSelection,
): Promise<EndpointCallers> {
  const entries = await newestEntries(sql, selection, CALLER_SAMPLE);
  const parents = await readParents(sql, selection.projectId, entries);
  const called = entries.filter(({ parentSpanId }) => parentSpanId !== null);
  const known = called.flatMap((entry) => {
    const parent = parents.get(placeOf(entry.traceId, entry.parentSpanId));
    return parent === undefined ? [] : [{ entry, parent }];
  });
  const groups = Map.groupBy(
    known,
    ({ parent }) => JSON.stringify([parent.service, parent.transaction]),
  );
  return {
    sampled: entries.length,
    roots: entries.length - called.length,
    unknown: called.length - known.length,
    callers: [...groups.values()].flatMap(callerOf).sort((a, b) => b.count - a.count),
  };
}

interface Parent {
  readonly service: string;
  readonly transaction: string;
}

function callerOf(
  calls: readonly { readonly entry: EndpointEntry; readonly parent: Parent }[],
): EndpointCaller[] {
  const [first] = calls;
  if (first === undefined) return [];
  const { service, transaction } = first.parent;
  return [{
    service,
    transaction,
    count: calls.length,
    failures: calls.filter(({ entry }) => entry.isFailed).length,
    averageMs: calls.reduce((sum, { entry }) => sum + entry.durationMs, 0) / calls.length,
    traceId: first.entry.traceId,
  }];
}

function placeOf(traceId: string, spanId: string | null): string {
  return `${traceId}/${spanId}`;
}

/** Senders of parent spans, by trace and span. */
async function readParents(
  sql: Sql,
  projectId: string,
  entries: readonly EndpointEntry[],
): Promise<Map<string, Parent>> {
  const wanted = entries.filter(({ parentSpanId }) => SPAN_ID.test(parentSpanId ?? ""));
  if (wanted.length === 0) return new Map();
  const times = wanted.map(({ timestamp }) => timestamp.getTime());
  const from = new Date(Math.min(...times) - DAY_MS);
  const until = new Date(Math.max(...times) + DAY_MS);
  const rows = await sql<(Parent & { traceId: string; spanId: string })[]>`
    with wanted as materialized (
      select * from unnest(
        ${wanted.map(({ traceId }) => traceId)}::uuid[],
        ${wanted.map(({ parentSpanId }) => parentSpanId)}::text[]
      ) as wanted (trace_id, span_id)
    )
    select
      replace(wanted.trace_id::text, '-', '') as "traceId", wanted.span_id as "spanId",
      coalesce(nullif(service, ''), platform, '') as service, batch.transaction
    from wanted
    join span_batches as batch on batch.project_id = ${projectId}
      and batch.trace_id = wanted.trace_id
      and batch."timestamp" >= ${from} and batch."timestamp" < ${until}
      -- Its bytes may stand across two ids as well, before or instead of where they are an id.
      and position(decode(wanted.span_id, 'hex') in batch.span_ids) > 0
    left join lateral (
      select service, platform from span_sources
      where project_id = ${projectId} and source_id = batch.source_id
        and "timestamp" = date_trunc('day', batch."timestamp", 'UTC')
    ) as source on true
    union all
    select
      replace(wanted.trace_id::text, '-', ''), wanted.span_id,
      coalesce(nullif(service, ''), platform), name
    from wanted
    join transactions as entry on entry.project_id = ${projectId}
      and entry.trace_id = wanted.trace_id and entry.span_id = wanted.span_id
      and entry."timestamp" >= ${from} and entry."timestamp" < ${until}
  `;
  const parents = new Map<string, Parent>();
  for (const { traceId, spanId, service, transaction } of rows) {
    const place = placeOf(traceId, spanId);
    // A span that is a transaction as well stands in both tables, and only there it surely has a name.
    if (transaction !== "" || !parents.has(place)) parents.set(place, { service, transaction });
  }
  return parents;
}
