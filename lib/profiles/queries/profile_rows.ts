import type postgres from "postgres";
import { readTypeId } from "../../formats/pprof/sample_types.ts";
import type { Queryable } from "../../store/database.ts";
import type { ProfileRow } from "./profile_types.ts";

/** A row as it comes from {@linkcode profileColumns}. */
export interface StoredProfile extends Omit<ProfileRow, "totals" | "period" | "sizeBytes"> {
  readonly period: string;
  readonly types: readonly string[];
  readonly totals: readonly string[];
  readonly sizeBytes: string;
}

/** `select` of all that {@linkcode profileOf} needs. */
export function profileColumns(sql: Queryable): postgres.Fragment {
  return sql`
    replace(profile_id::text, '-', '') as "profileId", "timestamp", received_at as "receivedAt",
    source, kind, service, instance, platform, environment, release, transaction,
    replace(transaction_id::text, '-', '') as "transactionId",
    replace(trace_id::text, '-', '') as "traceId", span_id as "spanId",
    replace(profiler_id::text, '-', '') as "profilerId",
    duration_ms as "durationMs", period, period_type as "periodType", samples, types, totals,
    is_delta as "isDelta", labels, size_bytes as "sizeBytes", blob_key as "blobKey",
    original_key as "originalKey"
  `;
}

/** A stored row as readers get it. */
export function profileOf({ types, totals, ...row }: StoredProfile): ProfileRow {
  return {
    ...row,
    period: BigInt(row.period),
    sizeBytes: Number(row.sizeBytes),
    totals: types.map((id, place) => ({
      ...readTypeId(id) ?? { type: id, unit: "" },
      total: BigInt(totals[place] ?? 0),
    })),
  };
}
