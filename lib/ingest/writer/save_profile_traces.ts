import { toArrayLiteral } from "../../store/array_types.ts";
import type { Transaction } from "../../store/database.ts";
import type { Profile } from "../../records/mod.ts";
import type { OtherRow } from "./record_row.ts";

/** Writes the traces that samples of profiles name. @param rows profiles that are new */
export async function saveProfileTraces(
  tx: Transaction,
  rows: readonly OtherRow<Profile>[],
): Promise<void> {
  const places = rows.flatMap(({ projectId, record }) =>
    record.traces.map((trace) => ({ projectId, record, trace }))
  );
  if (places.length === 0) return;
  await tx`
    insert into profile_traces (project_id, trace_id, profile_id, span_id, "timestamp", totals)
    select project_id, trace_id, profile_id, span_id, "timestamp", totals::bigint[]
    from unnest(
      ${places.map(({ projectId }) => projectId)}::bigint[],
      ${places.map(({ trace }) => trace.traceId)}::uuid[],
      ${places.map(({ record }) => record.profileId)}::uuid[],
      ${places.map(({ trace }) => trace.spanId ?? "")}::text[],
      ${places.map(({ record }) => record.timestamp.toISOString())}::text[]::timestamptz[],
      ${places.map(({ trace }) => toArrayLiteral(trace.totals))}::text[]
    ) as incoming (project_id, trace_id, profile_id, span_id, "timestamp", totals)
    order by project_id, trace_id, profile_id, span_id
    on conflict (project_id, trace_id, profile_id, span_id) do nothing
  `;
}
