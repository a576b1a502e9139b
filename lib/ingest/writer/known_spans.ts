/** What commits of spans look up first: which of them are stored already, and what pages of theirs are called. */
import { DAY_MS } from "../../core/time.ts";
import type { SpanBatch } from "../../records/mod.ts";
import type { Transaction } from "../../store/database.ts";
import { type Columns, incoming } from "../../store/write_rows.ts";
import type { OtherRow } from "./rows.ts";

/** A trace is looked at in so many of its newest batches: one whose id a client never changes must not cost more. */
const MAX_BATCHES = 50;

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

const TRACE_COLUMNS: Columns<OtherRow<SpanBatch>> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  trace_id: ["uuid", ({ record }) => record.traceId],
};

/** Ids of stored spans by project and trace. Project by project, which Citus wants for the limit of each trace. */
async function knownSpans(
  tx: Transaction,
  rows: readonly OtherRow<SpanBatch>[],
): Promise<Map<string, Set<string>>> {
  const projects = [...Map.groupBy(rows, ({ projectId }) => projectId)];
  const found = await Promise.all(
    projects.map(([projectId, own]) => knownSpansOf(tx, projectId, own)),
  );
  const known = new Map<string, Set<string>>();
  for (const { projectId, traceId, spanIds } of found.flat()) {
    const ids = known.get(`${projectId}/${traceId}`) ?? new Set();
    known.set(`${projectId}/${traceId}`, ids);
    for (let at = 0; at < spanIds.length; at += 8) ids.add(spanIds.subarray(at, at + 8).toHex());
  }
  return known;
}

function knownSpansOf(
  tx: Transaction,
  projectId: string,
  rows: readonly OtherRow<SpanBatch>[],
) {
  const traces = new Set(rows.map(({ record }) => record.traceId));
  const times = rows.map(({ record }) => record.timestamp.getTime());
  const earliest = times.reduce((least, time) => Math.min(least, time), Infinity);
  const latest = times.reduce((most, time) => Math.max(most, time), -Infinity);
  return tx<{ projectId: string; traceId: string; spanIds: Uint8Array }[]>`
    select
      ${projectId}::text as "projectId", replace(incoming.trace_id::text, '-', '') as "traceId",
      batch.span_ids as "spanIds"
    from unnest(${[...traces]}::uuid[]) as incoming (trace_id)
    cross join lateral (
      select span_ids from span_batches
      where project_id = ${projectId} and trace_id = incoming.trace_id
        and "timestamp" >= ${new Date(earliest - DAY_MS)}
        and "timestamp" < ${new Date(latest + DAY_MS)}
      order by "timestamp" desc
      limit ${MAX_BATCHES}
    ) as batch
  `;
}

/** What browsers' SDKs call a page as long as no router tells them its name. */
const NAMELESS: ReadonlySet<string> = new Set(["", "Pageload", "Navigation"]);

/**
 * Names the pages of web vitals that come alone, seconds after their page load and without its address: after the
 * page load of the same trace, which is stored by then.
 */
export async function withPageNames(
  tx: Transaction,
  rows: readonly OtherRow<SpanBatch>[],
): Promise<OtherRow<SpanBatch>[]> {
  const nameless = rows.filter(({ record }) =>
    NAMELESS.has(record.transaction) &&
    record.spans.some(({ measurements }) => measurements.length > 0)
  );
  if (nameless.length === 0) return [...rows];
  const loads = await tx<{ projectId: string; traceId: string; spanId: string; name: string }[]>`
    select
      project_id as "projectId", replace(trace_id::text, '-', '') as "traceId", span_id as "spanId", name
    from transactions
    where (project_id, trace_id) in (
      select * from ${incoming(tx, nameless, TRACE_COLUMNS)}
    ) and op in ('pageload', 'navigation')
  `;
  const byTrace = Map.groupBy(loads, ({ projectId, traceId }) => `${projectId}/${traceId}`);
  const named = new Set(nameless);
  return rows.map((row) => {
    const found = named.has(row) ? byTrace.get(`${row.projectId}/${row.record.traceId}`) ?? [] : [];
    const owners = new Set(row.record.spans.flatMap(ownersOf));
    const { name } = found.find(({ spanId }) => owners.has(spanId)) ?? found[0] ?? {};
    return name === undefined ? row : { ...row, record: { ...row.record, transaction: name } };
  });
}

/** The page loads that a vital says it belongs to. */
function ownersOf({ segmentId, parentSpanId, data }: SpanBatch["spans"][number]): string[] {
  return [data["sentry.pageload.span_id"], segmentId, parentSpanId]
    .filter((id) => typeof id === "string");
}
