import type postgres from "postgres";
import type { Queryable } from "../../store/database.ts";
import type { SampleFilter } from "../trees/sample_filter.ts";
import type { ProfileRow, ProfileSelection } from "../queries/profile_types.ts";
import { selected } from "../queries/selected.ts";

/** What a merge has to know of a profile. */
export interface MergeRow extends
  Pick<
    ProfileRow,
    | "profileId"
    | "timestamp"
    | "durationMs"
    | "service"
    | "environment"
    | "release"
    | "traceId"
    | "spanId"
    | "profilerId"
    | "isDelta"
    | "blobKey"
  > {
  /** As `cpu:nanoseconds`. */
  readonly types: readonly string[];
  /** Samples say whether their thread ran what the profile was taken for. */
  readonly tellsActive: boolean;
  /** Which samples are meant when none are chosen otherwise; all without. */
  readonly served?: readonly SampleFilter[];
}

/** `select` of a {@linkcode MergeRow}. */
export function mergeColumns(sql: Queryable): postgres.Fragment {
  return sql`
    replace(profile_id::text, '-', '') as "profileId", "timestamp", duration_ms as "durationMs",
    service, environment, release, replace(trace_id::text, '-', '') as "traceId",
    span_id as "spanId", replace(profiler_id::text, '-', '') as "profilerId",
    is_delta as "isDelta", blob_key as "blobKey", types,
    coalesce(labels -> 'active_thread' ? 'true', false) as "tellsActive"
  `;
}

/** Profiles to be merged. */
export interface MergeRows {
  readonly rows: readonly MergeRow[];
  /** How many more there are. */
  readonly left: number;
}

/**
 * The profiles of a selection; of too many one in two, in four and so on, which are the same ones in the next hour.
 *
 * @param onlyDelta leave out what is counted since processes began
 * @param max how many rows at most, nearly
 */
export async function readMergeRows(
  sql: Queryable,
  selection: ProfileSelection,
  onlyDelta: boolean,
  max: number,
): Promise<MergeRows> {
  const where = sql`${selected(sql, selection)} ${onlyDelta ? sql`and is_delta` : sql``}`;
  const rows = await sql<MergeRow[]>`
    select ${mergeColumns(sql)} from profiles where ${where} limit ${max + 1}
  `;
  if (rows.length <= max) return { rows, left: 0 };
  const [all] = await sql<{ count: string }[]>`
    select count(*) as count from profiles where ${where}
  `;
  const count = Number(all?.count ?? rows.length);
  const step = 2 ** Math.ceil(Math.log2(count / max));
  // Ids are random: their last bits choose evenly, whatever else profiles have in common.
  const sampled = await sql<MergeRow[]>`
    select ${mergeColumns(sql)} from profiles
    where ${where} and (
      get_byte(uuid_send(profile_id), 14) * 256 + get_byte(uuid_send(profile_id), 15)
    ) % ${step}::integer = 0
  `;
  return { rows: sampled, left: count - sampled.length };
}

/** Which samples of a profile a selection means; null for all. */
export function sampleFilterOf(
  { labels = [], traceId, spanId, threadId, clip, start, end }: ProfileSelection,
  row: Pick<MergeRow, "traceId" | "spanId">,
): SampleFilter | null {
  const filter: SampleFilter = {
    labels: labels.length > 0 ? labels : undefined,
    // What belongs to the trace or the span as a whole need not say so in its samples.
    traceId: row.traceId === traceId ? undefined : traceId,
    spanId: row.spanId === spanId ? undefined : spanId,
    threadId,
    ...clip ? { fromNanos: nanosOf(start.getTime()), untilNanos: nanosOf(end.getTime()) } : {},
  };
  return Object.values(filter).some((value) => value !== undefined) ? filter : null;
}

/** Milliseconds, fractions included, in nanoseconds. */
export function nanosOf(ms: number): bigint {
  return BigInt(Math.round(ms * 1_000)) * 1_000n;
}
