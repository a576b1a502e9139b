import type { Transaction } from "../../store/database.ts";
import type { SpanBatch } from "../../records/mod.ts";
import type { OtherRow } from "./record_row.ts";

/** A trace is looked at in so many of its newest batches: one whose id a client never changes must not cost more. */
const MAX_BATCHES = 50;
const DAY_MS = 86_400_000;

/**
 * Takes the spans out of batches that are stored already, in whichever batch: clients send again what they have no
 * answer for, and not always divided as before.
 *
 * @returns the batches with spans left; those that lost some have a row of their own
 */
export async function withoutKnownSpans(
  tx: Transaction,
  rows: readonly OtherRow<SpanBatch>[],
): Promise<Map<OtherRow<SpanBatch>, OtherRow<SpanBatch>>> {
  const known = await knownSpans(tx, rows);
  const left = new Map<OtherRow<SpanBatch>, OtherRow<SpanBatch>>();
  for (const row of rows) {
    const trace = `${row.projectId}/${row.record.traceId}`;
    const taken = known.get(trace) ?? new Set();
    known.set(trace, taken);
    const fresh = row.record.spans.filter(({ spanId }) => !taken.has(spanId));
    for (const { spanId } of fresh) taken.add(spanId);
    if (fresh.length === 0) continue;
    const isWhole = fresh.length === row.record.spans.length;
    left.set(isWhole ? row : { ...row, record: { ...row.record, spans: fresh } }, row);
  }
  return left;
}

/** Ids of stored spans by project and trace. */
async function knownSpans(
  tx: Transaction,
  rows: readonly OtherRow<SpanBatch>[],
): Promise<Map<string, Set<string>>> {
  const traces = new Map(rows.map((row) => [`${row.projectId}/${row.record.traceId}`, row]));
  const times = rows.map(({ record }) => record.timestamp.getTime());
  const earliest = times.reduce((least, time) => Math.min(least, time), Infinity);
  const latest = times.reduce((most, time) => Math.max(most, time), -Infinity);
  const found = await tx<{ projectId: string; traceId: string; spanIds: Uint8Array }[]>`
    select
      wanted.project_id as "projectId", replace(wanted.trace_id::text, '-', '') as "traceId",
      batch.span_ids as "spanIds"
    from unnest(
      ${[...traces.values()].map(({ projectId }) => projectId)}::bigint[],
      ${[...traces.values()].map(({ record }) => record.traceId)}::uuid[]
    ) as wanted (project_id, trace_id)
    cross join lateral (
      select span_ids from span_batches
      where project_id = wanted.project_id and trace_id = wanted.trace_id
        and "timestamp" >= ${new Date(earliest - DAY_MS)}
        and "timestamp" < ${new Date(latest + DAY_MS)}
      order by "timestamp" desc
      limit ${MAX_BATCHES}
    ) as batch
  `;
  const known = new Map<string, Set<string>>();
  for (const { projectId, traceId, spanIds } of found) {
    const ids = known.get(`${projectId}/${traceId}`) ?? new Set();
    known.set(`${projectId}/${traceId}`, ids);
    for (let at = 0; at < spanIds.length; at += 8) ids.add(spanIds.subarray(at, at + 8).toHex());
  }
  return known;
}
