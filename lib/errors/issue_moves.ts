/** Events follow their issues after a merge, a split or the way back, a batch at a time. */
import { withTimeLimit } from "../core/waiting.ts";
import type { Sql, Transaction } from "../store/database.ts";
import type { Backend } from "../store/stores.ts";

const EVENTS_A_BATCH = 500;
/** How long a person waits for events to follow a merge. */
const WAIT_MS = 2_000;

interface Move {
  readonly projectId: string;
  readonly from: string;
  readonly to: string;
  readonly isReturn: boolean;
}

/** Notes that the events of an issue are to follow, in the transaction of the merge itself. */
export async function noteMove(
  tx: Transaction,
  { projectId, from, to, isReturn }: Move,
): Promise<void> {
  // The way back makes the way there pointless, and an issue goes to one place at a time.
  await tx`
    delete from issue_moves
    where project_id = ${projectId} and (
      (from_issue = ${to} and to_issue = ${from}) or (from_issue = ${from} and not is_return)
    )
  `;
  await tx`
    insert into issue_moves (project_id, from_issue, to_issue, is_return)
    values (${projectId}, ${from}, ${to}, ${isReturn})
    on conflict (project_id, from_issue, to_issue) do update set is_return = excluded.is_return
  `;
}

/**
 * Lets events follow the merges that `mergeIssues()` and `unmergeIssue()` noted, in batches that are transactions of their own. Safe to
 * run in several places at once; what one leaves, the next run finishes.
 *
 * @param projectId one project, or null for all
 * @param stopping ends the work between two batches
 * @returns how many events moved
 */
export async function finishMoves(
  sql: Sql,
  projectId: string | null,
  stopping: AbortSignal,
): Promise<number> {
  const moves = await sql<Move[]>`
    select project_id as "projectId", from_issue as "from", to_issue as "to", is_return as "isReturn"
    from issue_moves
    ${projectId === null ? sql`` : sql`where project_id = ${projectId}`}
    order by project_id, is_return, from_issue, to_issue
  `;
  let total = 0;
  for (const move of moves) {
    let count = -1;
    while (!stopping.aborted && count !== 0) {
      count = await moveSome(sql, move);
      total += count;
    }
    if (count === 0) await forget(sql, move);
  }
  return total;
}

/** What a merge needs of the process. */
export type MergeBackend = Pick<Backend, "sql" | "log" | "stopping">;

/**
 * Lets the events of one project follow. Usually done at once; what takes longer goes on by itself, and maintenance
 * finishes what a stop cut short. Never throws.
 */
export async function letEventsFollow(
  { sql, log, stopping }: MergeBackend,
  projectId: string,
): Promise<void> {
  const moving = finishMoves(sql, projectId, stopping).catch((error: unknown) =>
    log.warn("cannot move the events of merged issues yet", { project: projectId, error })
  );
  await withTimeLimit(moving, WAIT_MS).catch(() => {});
}

/** An event and its id change together. By key, because `ctid` means nothing across partitions. */
async function moveSome(sql: Sql, { projectId, from, to, isReturn }: Move): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with batch as materialized (
      select "timestamp", event_id from events
      where project_id = ${projectId} and issue_id = ${from}
        ${isReturn ? sql`and merged_from = ${to}` : sql``}
      limit ${EVENTS_A_BATCH}
      for update
    ),
    ids as (
      update event_ids set issue_id = ${to}
      from batch
      where event_ids.project_id = ${projectId} and event_ids.event_id = batch.event_id
    ),
    moved as (
      update events set
        issue_id = ${to},
        merged_from = ${isReturn ? sql`null` : sql`coalesce(merged_from, issue_id)`}
      from batch
      where events.project_id = ${projectId} and events.issue_id = ${from}
        and events."timestamp" = batch."timestamp" and events.event_id = batch.event_id
      returning 1
    )
    select count(*)::int as count from moved
  `;
  return row?.count ?? 0;
}

/** Unless the merge was undone, or done again, meanwhile. */
async function forget(sql: Sql, { projectId, from, to, isReturn }: Move): Promise<void> {
  await sql`
    delete from issue_moves
    where project_id = ${projectId} and from_issue = ${from} and to_issue = ${to}
      and is_return = ${isReturn}
  `;
}
