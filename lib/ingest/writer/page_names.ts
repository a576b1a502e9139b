import type { Transaction } from "../../store/database.ts";
import type { SpanBatch } from "../../records/mod.ts";
import type { OtherRow } from "./record_row.ts";

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
      select * from unnest(
        ${nameless.map(({ projectId }) => projectId)}::bigint[],
        ${nameless.map(({ record }) => record.traceId)}::uuid[]
      )
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
