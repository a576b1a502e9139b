/** Transactions in which a continuous profiler ran: its samples are theirs by time and by thread. */
import type postgres from "postgres";
import type { Queryable } from "../../store/database.ts";
import { unpackText } from "../../store/packed_text.ts";
import { unpackSpans } from "../../store/pack.ts";

/** One transaction with its profiler. Times in milliseconds since 1970. */
export interface ProfiledTransaction {
  readonly traceId: string;
  readonly spanId: string;
  readonly profilerId: string;
  /** The thread it ran on; null when it does not say. */
  readonly threadId: string | null;
  readonly start: number;
  readonly end: number;
}

interface Row {
  readonly traceId: string;
  readonly spanId: string;
  readonly profilerId: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly payload: Uint8Array;
}

/**
 * The newest transactions with a profiler.
 *
 * @param where which transactions, a condition on their table
 */
export async function readProfiledTransactions(
  sql: Queryable,
  projectId: string,
  where: postgres.Fragment,
  limit: number,
): Promise<ProfiledTransaction[]> {
  const rows = await sql<Row[]>`
    select replace(trace_id::text, '-', '') as "traceId", span_id as "spanId",
      replace(profiler_id::text, '-', '') as "profilerId", started_at as "startedAt",
      duration_ms as "durationMs", payload
    from transactions
    where project_id = ${projectId} and profiler_id is not null and ${where}
    order by "timestamp" desc
    limit ${limit}
  `;
  // Those that came as spans have no event: what they carry is in a batch.
  const bare = rows.filter(({ payload }) => payload.length === 0);
  const threads = await threadsOfSpans(sql, projectId, bare);
  return rows.map(({ payload, startedAt, durationMs, ...row }) => ({
    ...row,
    threadId: payload.length > 0 ? threadOfEvent(payload) : threads.get(placeOf(row)) ?? null,
    start: startedAt.getTime(),
    end: startedAt.getTime() + durationMs,
  }));
}

function threadOfEvent(payload: Uint8Array): string | null {
  const event = JSON.parse(unpackText(payload));
  return threadIn(event.contexts?.trace?.data);
}

function threadIn(data: Readonly<Record<string, unknown>> | undefined): string | null {
  const id = data?.["thread.id"];
  return typeof id === "string" || typeof id === "number" ? String(id) : null;
}

function placeOf({ traceId, spanId }: Pick<Row, "traceId" | "spanId">): string {
  return `${traceId}/${spanId}`;
}

async function threadsOfSpans(
  sql: Queryable,
  projectId: string,
  rows: readonly Row[],
): Promise<Map<string, string | null>> {
  const threads = new Map<string, string | null>();
  if (rows.length === 0) return threads;
  const times = rows.map(({ startedAt }) => startedAt.getTime());
  // A batch stands at its earliest span, hardly ever more than an hour before a segment in it.
  const batches = await sql<{ traceId: string; ids: Uint8Array; bytes: Uint8Array }[]>`
    select distinct on (trace_id, "timestamp", batch_id)
      replace(trace_id::text, '-', '') as "traceId", span_ids as ids, spans as bytes
    from unnest(
      ${rows.map(({ traceId }) => traceId)}::uuid[], ${rows.map(({ spanId }) => spanId)}::text[]
    ) as wanted (wanted_trace, wanted_span)
    join span_batches on project_id = ${projectId} and trace_id = wanted_trace
    where "timestamp" >= ${new Date(Math.min(...times))}::timestamptz - interval '1 hour'
      and "timestamp" <= ${new Date(Math.max(...times))}
      and position(decode(wanted_span, 'hex') in span_ids) % 8 = 1
  `;
  for (const { traceId, ...packed } of batches) {
    for (const { spanId, data } of unpackSpans(packed)) {
      const thread = threadIn(data);
      if (thread !== null) threads.set(placeOf({ traceId, spanId }), thread);
    }
  }
  return threads;
}
