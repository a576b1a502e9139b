import type { Queryable } from "../../store/database.ts";
import type { LinkedProfile } from "../../traces/trace_types.ts";
import { type ProfiledTransaction, readProfiledTransactions } from "./profiled_transactions.ts";
import { LONGEST_COVERED } from "./selected.ts";

const MAX_PROFILES = 100;
const MAX_TRANSACTIONS = 200;

interface Row extends Omit<LinkedProfile, "time" | "threadId" | "clip"> {
  readonly timestamp: Date;
}

/**
 * The profiles of a trace, by their start: those that belong to it as a whole, those with samples that name it, one for
 * each span, and those of continuous profilers that ran in its transactions.
 *
 * @param traceId 32 lower-case hex digits
 */
export async function readTraceProfiles(
  sql: Queryable,
  projectId: string,
  traceId: string,
): Promise<LinkedProfile[]> {
  const [own, named, running] = await Promise.all([
    readOwn(sql, projectId, traceId),
    readNamed(sql, projectId, traceId),
    readRunning(sql, projectId, traceId),
  ]);
  const found = new Map<string, LinkedProfile>();
  const hasSpans = new Set(
    named.filter(({ spanId }) => spanId !== null).map(({ profileId }) => profileId),
  );
  for (const profile of [...own, ...named, ...running]) {
    const { profileId, spanId } = profile;
    // Its spans tell more.
    if (spanId === null && hasSpans.has(profileId)) continue;
    const place = `${profileId}/${spanId}`;
    if (!found.has(place)) found.set(place, profile);
  }
  return [...found.values()].sort((a, b) => a.time - b.time).slice(0, MAX_PROFILES);
}

async function readOwn(sql: Queryable, projectId: string, traceId: string) {
  const rows = await sql<Row[]>`
    select
      replace(profile.profile_id::text, '-', '') as "profileId", profile."timestamp",
      profile.duration_ms as "durationMs", coalesce(profile.span_id, entry.span_id) as "spanId",
      profile.source, profile.kind, profile.service, types,
      replace(profile.profiler_id::text, '-', '') as "profilerId", false as "isByLabel"
    from profiles as profile
    left join transactions as entry on entry.project_id = profile.project_id
      and entry.trace_id = profile.trace_id and entry.event_id = profile.transaction_id
    where profile.project_id = ${projectId} and profile.trace_id = ${traceId}
    order by profile."timestamp"
    limit ${MAX_PROFILES}
  `;
  return rows.map(linked);
}

async function readNamed(sql: Queryable, projectId: string, traceId: string) {
  const rows = await sql<Row[]>`
    select
      replace(profile.profile_id::text, '-', '') as "profileId", profile."timestamp",
      profile.duration_ms as "durationMs", nullif(named.span_id, '') as "spanId",
      profile.source, profile.kind, profile.service, types,
      replace(profile.profiler_id::text, '-', '') as "profilerId", true as "isByLabel"
    from profile_traces as named
    join profiles as profile on profile.project_id = named.project_id
      and profile.profile_id = named.profile_id
    where named.project_id = ${projectId} and named.trace_id = ${traceId}
    order by named."timestamp", named.profile_id, named.span_id
    limit ${MAX_PROFILES}
  `;
  return rows.map(linked);
}

function linked({ timestamp, ...row }: Row): LinkedProfile {
  return { ...row, time: timestamp.getTime(), threadId: null, clip: null };
}

async function readRunning(sql: Queryable, projectId: string, traceId: string) {
  const transactions = await readProfiledTransactions(
    sql,
    projectId,
    sql`trace_id = ${traceId}`,
    MAX_TRANSACTIONS,
  );
  if (transactions.length === 0) return [];
  const rows = await sql<(Row & { place: number })[]>`
    select
      replace(profile_id::text, '-', '') as "profileId", "timestamp", duration_ms as "durationMs",
      source, kind, service, types, replace(profiler_id::text, '-', '') as "profilerId",
      null as "spanId", false as "isByLabel", place
    from unnest(
      ${transactions.map((_, place) => place)}::integer[],
      ${transactions.map(({ profilerId }) => profilerId)}::uuid[],
      ${transactions.map(({ start }) => new Date(start).toISOString())}::text[]::timestamptz[],
      ${transactions.map(({ end }) => new Date(end).toISOString())}::text[]::timestamptz[]
    ) as span (place, profiler, started, ended)
    join profiles on project_id = ${projectId} and profiler_id = profiler
      and "timestamp" >= started - ${LONGEST_COVERED}::interval and "timestamp" <= ended
      and "timestamp" + duration_ms * interval '1 millisecond' >= started
    order by "timestamp", place
    limit ${MAX_PROFILES}
  `;
  return rows.map(({ place, ...row }) => running(row, transactions[place]));
}

function running(row: Row, transaction: ProfiledTransaction | undefined): LinkedProfile {
  const profile = linked(row);
  if (transaction === undefined) return profile;
  const { spanId, threadId, start, end } = transaction;
  return { ...profile, spanId, threadId, clip: { start, end } };
}
