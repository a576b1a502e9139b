/** Which threads of wall-clock profiles served: in all others time passes as well, mostly waiting. */
import type { SampleFilter } from "../trees/sample_filter.ts";
import type { Queryable } from "../../store/database.ts";
import type { MergeRow } from "./merge_rows.ts";
import type { ProfileSelection } from "../queries/profile_types.ts";
import { readProfiledTransactions } from "../queries/profiled_transactions.ts";
import { selected } from "../queries/selected.ts";

/** SDKs mark the thread that ran a profiled transaction so. */
const ACTIVE_THREAD: SampleFilter = { labels: [["active_thread", "true"]] };
/** The newest; a server's threads show up in them all. */
const MAX_TRANSACTIONS = 500;

/**
 * Puts to each profile which of its samples are of threads that served: those that are marked, and, where a continuous
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
  const found = await readProfiledTransactions(sql, projectId, where, MAX_TRANSACTIONS);
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
