/** The samples that belong to transactions of one name, but are in profiles that do not say so. */
import { storable } from "../../core/errors.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { inScope } from "../../store/query_limits.ts";
import { LONGEST_COVERED, type ProfileSelection, selected } from "../queries/profile_query.ts";
import { type ProfiledTransaction, readProfiledTransactions } from "../queries/trace_profiles.ts";
import type { SampleFilter } from "../trees/sample_filter.ts";
import { mergeColumns, type MergePiece, type MergeRow, nanosOf } from "./merge_rows.ts";

/** The newest transactions of the name; there may be thousands a second. */
const MAX_TRANSACTIONS = 200;
const MAX_CHUNKS = 1_000;

type Selection = ProfileSelection & { readonly transaction: string };

/**
 * Profiles that have samples of the newest 200 transactions of a name: those of continuous profilers, by time and
 * thread, and those whose samples, or which as a whole, name the traces of these transactions.
 *
 * @param known profiles that are known to be of such transactions: they are left out
 * @returns none for a selection without a transaction
 */
export async function piecesOfTransaction(
  sql: Sql,
  selection: ProfileSelection,
  known: readonly MergeRow[],
): Promise<MergePiece[]> {
  const { transaction } = selection;
  if (transaction === undefined) return [];
  const ofName = { ...selection, transaction };
  const [chunks, traced] = await Promise.all([
    chunkPieces(sql, ofName),
    tracedPieces(sql, ofName),
  ]);
  const ids = new Set(known.map(({ profileId }) => profileId));
  return [...chunks, ...traced].filter(({ row }) => {
    const isNew = !ids.has(row.profileId);
    ids.add(row.profileId);
    return isNew;
  });
}

interface Piece extends MergePiece {
  readonly row: MergeRow;
}

async function chunkPieces(sql: Sql, selection: Selection): Promise<Piece[]> {
  const { projectId, start, end, transaction } = selection;
  const transactions = await readProfiledTransactions(
    sql,
    projectId,
    sql`
      name = ${storable(transaction)} and "timestamp" >= ${start} and "timestamp" < ${end}
      ${inScope(sql, selection)}
    `,
    MAX_TRANSACTIONS,
  );
  if (transactions.length === 0) return [];
  const windows = windowsOf(transactions, selection);
  const chunks = await readChunks(sql, selection, windows);
  return chunks.flatMap((row) => {
    const chunkStart = row.timestamp.getTime();
    const own = within(windows.get(row.profilerId) ?? [], {
      start: chunkStart,
      end: chunkStart + row.durationMs,
    });
    return own.length === 0 ? [] : [{ row, filters: own.map(filterOf), nanos: lengthOf(own) }];
  });
}

function windowsOf(
  transactions: readonly ProfiledTransaction[],
  { threadId }: Selection,
): Map<string, Window[]> {
  const wanted = transactions.filter((each) =>
    threadId === undefined || each.threadId === null || each.threadId === threadId
  ).map((each) => threadId === undefined ? each : { ...each, threadId });
  const byProfiler = Map.groupBy(wanted, ({ profilerId }) => profilerId);
  return new Map([...byProfiler].map(([id, windows]) => [id, joined(windows)]));
}

type Chunk = MergeRow & { readonly profilerId: string };

async function readChunks(
  sql: Sql,
  { projectId, kind, services }: Selection,
  windows: ReadonlyMap<string, readonly Window[]>,
): Promise<Chunk[]> {
  const spans = [...windows].flatMap(([profilerId, list]) =>
    list.map(({ start, end }) => ({ profilerId, start: new Date(start), end: new Date(end) }))
  );
  return await sql<Chunk[]>`
    select ${mergeColumns(sql)}
    from profiles
    where project_id = ${projectId} and kind = ${kind} and profile_id in (
      select profile_id from unnest(
        ${spans.map(({ profilerId }) => profilerId)}::uuid[],
        ${spans.map(({ start }) => start.toISOString())}::text[]::timestamptz[],
        ${spans.map(({ end }) => end.toISOString())}::text[]::timestamptz[]
      ) as span (profiler, started, ended)
      join profiles as chunk on chunk.project_id = ${projectId} and chunk.profiler_id = profiler
        and chunk."timestamp" >= started - ${LONGEST_COVERED}::interval
        and chunk."timestamp" <= ended
        and chunk."timestamp" + chunk.duration_ms * interval '1 millisecond' >= started
    )
    ${services.length === 0 ? sql`` : sql`and service = any (${services.map(storable)}::text[])`}
    order by "timestamp" desc
    limit ${MAX_CHUNKS}
  `;
}

interface Traced extends MergeRow {
  readonly wantedTrace: string;
  /** The span of the transaction when samples name it, `""` when they name the trace; null for the whole profile. */
  readonly named: string | null;
}

async function tracedPieces(sql: Sql, selection: Selection): Promise<Piece[]> {
  const rows = await readTraced(sql, selection);
  return [...Map.groupBy(rows, ({ profileId }) => profileId).values()].flatMap((links) => {
    const [row] = links;
    if (row === undefined) return [];
    const isWhole = links.some(({ named }) => named === null);
    return [{ row, filters: isWhole ? null : traceFilters(links), nanos: null }];
  });
}

/** By span where samples name spans, else by trace; never both for one trace, so that samples count once. */
function traceFilters(links: readonly Traced[]): SampleFilter[] {
  const byTrace = Map.groupBy(links, ({ wantedTrace }) => wantedTrace);
  return [...byTrace].flatMap(([traceId, ofTrace]): SampleFilter[] => {
    const spans = new Set(ofTrace.map(({ named }) => named ?? "").filter((named) => named !== ""));
    return spans.size === 0 ? [{ traceId }] : [...spans].map((spanId) => ({ spanId }));
  });
}

async function readTraced(sql: Sql, selection: Selection): Promise<Traced[]> {
  const { projectId, start, end, transaction, kind, services } = selection;
  return await sql<Traced[]>`
    with wanted as materialized (
      select trace_id as wanted_trace, span_id as wanted_span, service as wanted_service
      from transactions
      where project_id = ${projectId} and name = ${storable(transaction)}
        and "timestamp" >= ${start} and "timestamp" < ${end} ${inScope(sql, selection)}
      order by "timestamp" desc
      limit ${MAX_TRANSACTIONS}
    ),
    linked as (
      select wanted.*, profile_id as linked_id,
        case when wanted_span = any (array_agg(span_id)) then wanted_span else '' end as named
      from wanted
      join profile_traces on project_id = ${projectId} and trace_id = wanted_trace
      group by wanted_trace, wanted_span, wanted_service, profile_id
      union all
      select wanted.*, profile_id, null
      from wanted
      join profiles on project_id = ${projectId} and trace_id = wanted_trace
        and transaction = '' and profiler_id is null
        and coalesce(span_id, wanted_span) = wanted_span
    )
    select ${mergeColumns(sql)}, replace(wanted_trace::text, '-', '') as "wantedTrace", named
    from linked join profiles on profile_id = linked_id
    where project_id = ${projectId} and kind = ${kind}
      and (service = '' or wanted_service in ('', service))
      ${services.length === 0 ? sql`` : sql`and service = any (${services.map(storable)}::text[])`}
    order by "timestamp" desc
    limit ${MAX_CHUNKS}
  `;
}

/** A stretch of time on a thread, in which samples of a continuous profiler are wanted. Times in milliseconds since 1970. */
interface Window {
  /** Null: all threads. */
  readonly threadId: string | null;
  readonly start: number;
  readonly end: number;
}

/**
 * Joins windows so that none overlap, and samples count once. Once one of them is of all threads all are: nobody knows
 * which of their samples are the same.
 */
export function joined(windows: readonly Window[]): Window[] {
  const isAnyThread = windows.some(({ threadId }) => threadId === null);
  const threadOf = ({ threadId }: Window) => isAnyThread ? null : threadId;
  return [...Map.groupBy(windows, threadOf)].flatMap(([threadId, ofThread]) => {
    const spans: { threadId: string | null; start: number; end: number }[] = [];
    for (const { start, end } of ofThread.toSorted((a, b) => a.start - b.start)) {
      const last = spans.at(-1);
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
      else spans.push({ threadId, start, end });
    }
    return spans;
  });
}

/** The parts of windows that lie within a stretch of time. */
export function within(
  windows: readonly Window[],
  { start, end }: Pick<Window, "start" | "end">,
): Window[] {
  return windows
    .map((window) => (
      { ...window, start: Math.max(window.start, start), end: Math.min(window.end, end) }
    ))
    .filter((window) => window.start <= window.end);
}

/** The samples of a window. */
function filterOf({ threadId, start, end }: Window): SampleFilter {
  return {
    threadId: threadId ?? undefined,
    fromNanos: nanosOf(start),
    untilNanos: nanosOf(end),
  };
}

/** How long windows are together, in nanoseconds. */
export function lengthOf(windows: readonly Window[]): bigint {
  return windows.reduce((sum, { start, end }) => sum + nanosOf(end - start), 0n);
}

/** SDKs mark the thread that ran a profiled transaction so. */
const ACTIVE_THREAD: SampleFilter = { labels: [["active_thread", "true"]] };
/** The newest; a server's threads show up in them all. */
const MAX_SERVED = 500;

/**
 * Puts to each wall-clock profile which of its samples are of threads that served (others mostly wait): those that are marked, and, where a continuous
 * profiler ran, those on which its transactions did. A profile of which nobody can tell keeps all.
 *
 * @param selection only when it asks for that
 */
export async function withServed(
  sql: Queryable,
  selection: ProfileSelection,
  rows: readonly MergeRow[],
): Promise<readonly MergeRow[]> {
  if (!selection.servedOnly) return rows;
  const profilers = [...new Set(rows.flatMap(({ profilerId }) => profilerId ?? []))];
  const threads = await servingThreads(sql, selection, profilers);
  return rows.map((row) => {
    if (row.tellsActive) return { ...row, served: [ACTIVE_THREAD] };
    const ids = threads.get(row.profilerId ?? "");
    return ids === undefined ? row : { ...row, served: ids.map((threadId) => ({ threadId })) };
  });
}

/**
 * The threads on which the newest transactions of continuous profilers ran, by profiler. Those of which one does not say
 * its thread are left out.
 *
 * @param profilers ids of 32 hex digits
 */
export async function servingThreads(
  sql: Queryable,
  { projectId, start, end }: Pick<ProfileSelection, "projectId" | "start" | "end">,
  profilers: readonly string[],
): Promise<Map<string, string[]>> {
  const served = new Map<string, string[]>();
  if (profilers.length === 0) return served;
  const where = sql`
    profiler_id = any (${[...profilers]}::uuid[])
    and "timestamp" >= ${start}::timestamptz - interval '10 minutes'
    and "timestamp" < ${end}::timestamptz + interval '10 minutes'
  `;
  const found = await readProfiledTransactions(sql, projectId, where, MAX_SERVED);
  for (const [profilerId, ofOne] of Map.groupBy(found, (each) => each.profilerId)) {
    const ids = [...new Set(ofOne.map(({ threadId }) => threadId))].sort();
    const known = ids.filter((id) => id !== null);
    if (known.length === ids.length) served.set(profilerId, known);
  }
  return served;
}

/** Whether profiles of a selection tell of threads that served and of others. */
export async function tellsServed(sql: Queryable, selection: ProfileSelection): Promise<boolean> {
  const [row] = await sql<{ tells: boolean }[]>`
    select exists (
      select from profiles where ${selected(sql, selection)}
        and (labels -> 'active_thread' ? 'true' or profiler_id is not null)
        and jsonb_array_length(coalesce(labels -> 'thread_id', '[]')) > 1
    ) as tells
  `;
  return row?.tells ?? false;
}
