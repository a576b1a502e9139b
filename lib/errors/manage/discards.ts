/** Groups whose events are dropped: what they were, how many came since, and how that ends. */
import { insertAudit } from "../../store/audit.ts";
import type { Sql } from "../../store/database.ts";
import { isId } from "../../store/query_limits.ts";
import { lockMerges } from "../issue_merge.ts";

export interface Discard {
  readonly id: string;
  readonly title: string;
  readonly culprit: string;
  /** Who discarded it, as people know them. */
  readonly discardedBy: string;
  readonly discardedAt: Date;
  /** Events since then. */
  readonly timesDropped: number;
  /** Null before the first. */
  readonly lastDroppedAt: Date | null;
}

/** A page shows no more; those that drop nothing any more are the last. */
export const MAX_DISCARDS = 200;

/** What a project discards, the latest first. */
export async function listDiscards(sql: Sql, projectId: string): Promise<Discard[]> {
  const rows = await sql<(Omit<Discard, "timesDropped"> & { timesDropped: string })[]>`
    select id, title, culprit, discarded_by as "discardedBy", discarded_at as "discardedAt",
      times_dropped as "timesDropped", last_dropped_at as "lastDroppedAt"
    from discards where project_id = ${projectId}
    order by discarded_at desc, id desc
    limit ${MAX_DISCARDS}
  `;
  return rows.map((row) => ({ ...row, timesDropped: Number(row.timesDropped) }));
}

/**
 * Takes events of a discarded group again: the next one opens a new issue.
 *
 * @param discardId what a client sent, whatever it is
 * @returns the title, or null when the project has no such discard any more
 */
export async function takeAgain(
  sql: Sql,
  projectId: string,
  discardId: string,
): Promise<string | null> {
  if (!isId(discardId)) return null;
  return await sql.begin(async (tx) => {
    await lockMerges(tx, projectId);
    await tx`
      delete from issue_hashes
      where project_id = ${projectId} and issue_id = -(${discardId}::bigint)
        and issue_id < 0
    `;
    await tx`
      update deleted_issues set discard_id = null
      where project_id = ${projectId} and discard_id = ${discardId}
    `;
    const [discard] = await tx<{ title: string }[]>`
      delete from discards where project_id = ${projectId} and id = ${discardId} returning title
    `;
    if (discard === undefined) return null;
    await insertAudit(tx, {
      event: "issue.discard-remove",
      projectId,
      target: { kind: "discard", id: discardId, label: discard.title.slice(0, 200) },
    });
    return discard.title;
  });
}
