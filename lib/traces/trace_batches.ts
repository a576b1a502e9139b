import type { Queryable } from "../store/database.ts";
import type { PackedSpans } from "../store/pack.ts";

/** Spans of a trace that are read at once; a batch has at least one. */
export const MAX_TRACE_SPANS = 10_000;

/** The spans that one sender told of a trace in one request, packed. */
export interface TraceBatch extends PackedSpans {
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
  const rows = await sql<(TraceBatch & { resource: TraceBatch["resource"] | null })[]>`
    select
      span_ids as ids, spans as bytes, span_count as count, environment, release, service, platform, sdk,
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
  return rows.map((row) => ({ ...row, resource: row.resource ?? {} }));
}
