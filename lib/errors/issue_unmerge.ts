/** Taking a merged issue out again, and the note of it on both issues. */
import { auditIssues } from "../store/audit.ts";
import type { Queryable, Sql, Transaction } from "../store/database.ts";
import { isSeparable, lockMerges } from "./issue_merge.ts";
import { noteMove } from "./issue_moves.ts";
import { takeOut } from "./merged_rows.ts";
import { writeActivity } from "./workflow/activity.ts";
import { type IssueActor, SYSTEM } from "./workflow/state.ts";

/**
 * Takes a merged issue out of the other again, with the events that it had before the merge. What arrived for it
 * since then stays where it is.
 *
 * @returns false when it is not merged into `issueId`
 */
export async function unmergeIssue(
  sql: Sql,
  projectId: string,
  issueId: string,
  mergedId: string,
  actor: IssueActor = SYSTEM,
): Promise<boolean> {
  return await sql.begin(async (tx) => {
    await lockMerges(tx, projectId);
    return await unmergeWithin(tx, { projectId, issueId, mergedId, actor });
  });
}

interface Unmerging {
  readonly projectId: string;
  readonly issueId: string;
  readonly mergedId: string;
  readonly actor: IssueActor;
}

/** The same in a transaction that holds `lockMerges()`. */
export async function unmergeWithin(
  tx: Transaction,
  { projectId, issueId, mergedId, actor }: Unmerging,
): Promise<boolean> {
  const [merged] = await tx`
    select id from issues
    where project_id = ${projectId} and id = ${mergedId} and merged_into = ${issueId}
      and merged_into > 0 and ${isSeparable(tx, projectId, issueId)}
  `;
  if (merged === undefined) return false;
  await takeOut({ tx, projectId, source: mergedId, target: issueId });
  await tx`
    update issues set merged_into = null, merged_at = null
    where project_id = ${projectId} and id = ${mergedId}
  `;
  await noteMove(tx, { projectId, from: issueId, to: mergedId, isReturn: true });
  await noteUnmerge(tx, { projectId, issueId, mergedId, actor });
  return true;
}

/** On both issues, as the groups of one now belong to the other. @returns for `takeBack()` */
export async function noteUnmerge(
  tx: Transaction,
  { projectId, issueId, mergedId, actor }: Unmerging,
): Promise<string | null> {
  const rows = await tx<{ hash: string }[]>`
    select replace(hash::text, '-', '') as hash from issue_hashes
    where project_id = ${projectId} and issue_id = ${mergedId}
    order by hash limit 100
  `;
  const fingerprints = rows.map(({ hash }) => hash);
  await auditIssues(tx, "issue.unmerge", projectId, [issueId], { issue: [null, mergedId] });
  const common = { projectId, actor, at: new Date() };
  const [undo = null] = await writeActivity(tx, [
    {
      ...common,
      issueId,
      type: "unmerge_source",
      data: { fingerprints, destination: { id: mergedId } },
    },
    {
      ...common,
      issueId: mergedId,
      type: "unmerge_destination",
      data: { fingerprints, source: { id: issueId } },
    },
  ]);
  return undo;
}

/** For `takeBack()`: the newest unmerge, or split, of an issue; null without one. */
export async function lastUnmerge(
  sql: Queryable,
  projectId: string,
  issueId: string,
): Promise<string | null> {
  const [entry] = await sql<{ id: string }[]>`
    select id from issue_activity
    where project_id = ${projectId} and issue_id = ${issueId} and type = 'unmerge_source'
    order by id desc limit 1
  `;
  return entry?.id ?? null;
}
