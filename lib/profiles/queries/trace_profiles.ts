import type postgres from "postgres";
import type { Queryable } from "../../store/database.ts";
import { packedColumns, type PackedRow, withSpans } from "../../store/spans/stored_spans.ts";
import { unpackText } from "../../store/values.ts";
import type { Profile, ProfileKind } from "../../records/mod.ts";
import { LONGEST_COVERED } from "./profile_query.ts";

const MAX_PROFILES = 100;
const MAX_TRANSACTIONS = 200;

/** All that leads from a trace to the samples of it that a profile has. */
export interface LinkedProfile {
  readonly profileId: string;
  /** The span that it covers, or null. */
  readonly spanId: string | null;
  /** When it began, in milliseconds since 1970. */
  readonly time: number;
  readonly durationMs: number;
  readonly source: Profile["source"];
  readonly kind: ProfileKind;
  readonly service: string;
  /** As `cpu:nanoseconds`, in the profile's order. */
  readonly types: readonly string[];
  /** Of a continuous profiler: the samples of this thread and of the time below are the span's. */
  readonly profilerId: string | null;
  readonly threadId: string | null;
  /** In milliseconds since 1970; null when all of the profile is meant, or the samples that name the trace. */
  readonly clip: { readonly start: number; readonly end: number } | null;
  /** The profile is of other traces as well: of this one are the samples that name it, or its span. */
  readonly isByLabel: boolean;
}

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

/**
 * What is read of `profile` in each of the three ways.
 *
 * @param spanId a column with its comma: the API has it in this place, and answers in the order of the columns
 */
function linkColumns(sql: Queryable, spanId = sql``): postgres.Fragment {
  return sql`
    replace(profile.profile_id::text, '-', '') as "profileId", profile."timestamp",
    profile.duration_ms as "durationMs", ${spanId}
    profile.source, profile.kind, profile.service, types,
    replace(profile.profiler_id::text, '-', '') as "profilerId"
  `;
}

async function readOwn(sql: Queryable, projectId: string, traceId: string) {
  const rows = await sql<Row[]>`
    select ${linkColumns(sql, sql`coalesce(profile.span_id, entry.span_id) as "spanId",`)},
      false as "isByLabel"
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
    select ${linkColumns(sql, sql`nullif(named.span_id, '') as "spanId",`)}, true as "isByLabel"
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
    select ${linkColumns(sql)}, null as "spanId", false as "isByLabel", place
    from unnest(
      ${transactions.map((_, place) => place)}::integer[],
      ${transactions.map(({ profilerId }) => profilerId)}::uuid[],
      ${transactions.map(({ start }) => new Date(start).toISOString())}::text[]::timestamptz[],
      ${transactions.map(({ end }) => new Date(end).toISOString())}::text[]::timestamptz[]
    ) as span (place, profiler, started, ended)
    join profiles as profile on project_id = ${projectId} and profiler_id = profiler
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

/** A transaction in which a continuous profiler ran: samples are its own by time and by thread. Times in milliseconds since 1970. */
export interface ProfiledTransaction {
  readonly traceId: string;
  readonly spanId: string;
  readonly profilerId: string;
  /** The thread it ran on; null when it does not say. */
  readonly threadId: string | null;
  readonly start: number;
  readonly end: number;
}

interface TransactionRow {
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
  const rows = await sql<TransactionRow[]>`
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

function placeOf({ traceId, spanId }: Pick<TransactionRow, "traceId" | "spanId">): string {
  return `${traceId}/${spanId}`;
}

async function threadsOfSpans(
  sql: Queryable,
  projectId: string,
  rows: readonly TransactionRow[],
): Promise<Map<string, string | null>> {
  const threads = new Map<string, string | null>();
  if (rows.length === 0) return threads;
  const times = rows.map(({ startedAt }) => startedAt.getTime());
  // A batch stands at its earliest span, hardly ever more than an hour before a segment in it.
  const batches = await sql<(PackedRow & { traceId: string })[]>`
    select distinct on (trace_id, "timestamp", batch_id)
      replace(trace_id::text, '-', '') as "traceId", ${packedColumns(sql)}
    from unnest(
      ${rows.map(({ traceId }) => traceId)}::uuid[], ${rows.map(({ spanId }) => spanId)}::text[]
    ) as wanted (wanted_trace, wanted_span)
    join span_batches on project_id = ${projectId} and trace_id = wanted_trace
    where "timestamp" >= ${new Date(Math.min(...times))}::timestamptz - interval '1 hour'
      and "timestamp" <= ${new Date(Math.max(...times))}
      and position(decode(wanted_span, 'hex') in span_ids) % 8 = 1
  `;
  for (const { traceId, spans } of await withSpans(sql, projectId, batches)) {
    for (const { spanId, data } of spans) {
      const thread = threadIn(data);
      if (thread !== null) threads.set(placeOf({ traceId, spanId }), thread);
    }
  }
  return threads;
}
