/** Single spans of one group: the calls behind the counts. */
import { DAY_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import type { Span } from "../../records/mod.ts";
import { packedColumns, type PackedRow, withSpans } from "../../store/spans/stored_spans.ts";
import { groupName } from "../../store/stats/series.ts";

export interface GroupSelection {
  readonly projectId: string;
  /** Traces to look into. */
  readonly traceIds: readonly string[];
  readonly category: string;
  /** As series have it: see `groupName()`. */
  readonly group: string;
  readonly start: Date;
  readonly end: Date;
}

/** The spans of a group within one transaction of one trace. */
export interface GroupCalls {
  readonly traceId: string;
  /** Name of the transaction, or `""`. */
  readonly transaction: string;
  /** Service name, or the platform where none was named. */
  readonly service: string;
  /** By start; at least one. */
  readonly spans: readonly Span[];
}

/** Spans that are unpacked at once. */
const MAX_SPANS = 20_000;

interface BatchRow extends PackedRow {
  readonly traceId: string;
  readonly batchId: string;
  readonly transaction: string;
  readonly service: string;
}

/** Reads the spans of a group out of traces, apart by the transaction that they belong to. */
export async function readGroupCalls(sql: Sql, selection: GroupSelection): Promise<GroupCalls[]> {
  const group = groupName(selection.group);
  const calls = new Map<string, GroupCalls & { spans: Span[] }>();
  const batches = await readBatches(sql, selection);
  for (const batch of await withSpans(sql, selection.projectId, batches)) {
    const { traceId, transaction, service } = batch;
    for (const span of batch.spans) {
      if (span.category !== selection.category || groupName(span.group) !== group) continue;
      const key = `${traceId}/${span.segmentId ?? batch.batchId}`;
      const known = calls.get(key) ?? { traceId, transaction, service, spans: [] };
      known.spans.push(span);
      calls.set(key, known);
    }
  }
  return [...calls.values()].map(({ spans, ...facts }) => ({
    ...facts,
    spans: spans.sort((a, b) => a.start - b.start),
  }));
}

async function readBatches(
  sql: Sql,
  { projectId, traceIds, start, end }: GroupSelection,
): Promise<BatchRow[]> {
  if (traceIds.length === 0) return [];
  return await sql<BatchRow[]>`
    select
      replace(trace_id::text, '-', '') as "traceId", batch_id as "batchId", batch.transaction,
      coalesce(nullif(service, ''), platform, '') as service, ${packedColumns(sql)}
    from (
      select *, sum(span_count) over (order by "timestamp" desc, batch_id) - span_count as before
      from span_batches
      where project_id = ${projectId} and trace_id = any (${[...traceIds]}::uuid[])
        and "timestamp" >= ${new Date(start.getTime() - DAY_MS)}
        and "timestamp" < ${new Date(end.getTime() + DAY_MS)}
    ) as batch
    left join lateral (
      select service, platform from span_sources
      where project_id = ${projectId} and source_id = batch.source_id
        and "timestamp" = date_trunc('day', batch."timestamp", 'UTC')
    ) as source on true
    where before < ${MAX_SPANS}
  `;
}
