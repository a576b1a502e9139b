/** The samples that belong to transactions of one name, but are in profiles that do not say so. */
import type { SampleFilter } from "../trees/sample_filter.ts";
import type { Sql } from "../../store/database.ts";
import { inScope } from "../../store/scope_filter.ts";
import { storable } from "../../core/storable.ts";
import type { MergePiece } from "./add_pieces.ts";
import { mergeColumns, type MergeRow } from "./merge_rows.ts";
import type { ProfileSelection } from "../queries/profile_types.ts";
import { type ProfiledTransaction, readProfiledTransactions } from "../queries/profiled_transactions.ts";
import { LONGEST_COVERED } from "../queries/selected.ts";
import { filterOf, joined, lengthOf, type Window, within } from "./windows.ts";

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
