/**
 * Deleting issues, with or without dropping what their groups still send. At once goes what makes an issue one: its
 * hashes, its place in lists, and its small tables. Events, files and figures follow by `purge.ts`.
 *
 * Rows are locked in the order of the writer (hashes, tags, users, issues). A writer that has looked up one of the
 * issues before finds its row merged into nothing, takes everything back and begins again.
 */
import { auditIssues } from "../../store/audit.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { isId } from "../../store/query_limits.ts";
import { OF_ISSUES } from "../../store/retention.ts";
import { lockMerges, NOWHERE } from "../issue_merge.ts";

export interface Deletion {
  readonly projectId: string;
  /** What a client sent, whatever it is: unknown ids and merged issues are passed over. */
  readonly issueIds: readonly string[];
  /** Who asks, as people know them. */
  readonly by: string;
  /** Whether events of the same groups are dropped from now on. @default false: they open new issues */
  readonly isDiscard?: boolean;
}

/**
 * Deletes issues and what was merged into them.
 *
 * @returns the ids of those that were there, what was merged into them left out
 */
export async function deleteIssues(
  sql: Sql,
  { projectId, issueIds, by, isDiscard = false }: Deletion,
  now: Date = new Date(),
): Promise<string[]> {
  const ids = issueIds.filter((id) => isId(id) && Number(id) > 0);
  if (ids.length === 0) return [];
  return await sql.begin(async (tx) => {
    await lockMerges(tx, projectId);
    const found = await tx<{ id: string; part: string | null }[]>`
      select chosen.id, parts.id as part from issues as chosen
      left join issues as parts on parts.project_id = ${projectId} and parts.merged_into = chosen.id
      where chosen.project_id = ${projectId} and chosen.id = any (${ids}::bigint[])
        and chosen.merged_into is null
    `;
    const roots = [...new Set(found.map(({ id }) => id))];
    if (roots.length === 0) return [];
    const parts = found.flatMap(({ part }) => part === null ? [] : [part]);
    const all = [...roots, ...parts];
    await auditIssues(tx, isDiscard ? "issue.discard" : "issue.delete", projectId, roots);
    await letHashesGo(tx, { projectId, roots, all, by, isDiscard, now });
    await tx`
      delete from issue_tags where project_id = ${projectId} and issue_id = any (${all}::bigint[])
    `;
    await tx`
      delete from issue_users where project_id = ${projectId} and issue_id = any (${all}::bigint[])
    `;
    await hide(tx, projectId, all, now);
    for (const table of OF_ISSUES) {
      await tx`
        delete from ${
        tx(table)
      } where project_id = ${projectId} and issue_id = any (${all}::bigint[])
      `;
    }
    // What follows a merge or a split among them need not any more; what goes elsewhere still has to.
    await tx`
      delete from issue_moves
      where project_id = ${projectId}
        and from_issue = any (${all}::bigint[]) and to_issue = any (${all}::bigint[])
    `;
    return roots;
  });
}

interface LettingGo {
  readonly projectId: string;
  readonly roots: readonly string[];
  /** With what was merged into them. */
  readonly all: readonly string[];
  readonly by: string;
  readonly isDiscard: boolean;
  readonly now: Date;
}

/** Hashes of merged issues belong to what these are part of already. */
async function letHashesGo(
  tx: Transaction,
  { projectId, roots, all, by, isDiscard, now }: LettingGo,
): Promise<void> {
  if (!isDiscard) {
    await tx`
      delete from issue_hashes where project_id = ${projectId} and issue_id = any (${[
      ...all,
    ]}::bigint[])
    `;
    await queue(tx, { projectId, ids: all, by, discardId: null, now });
    return;
  }
  for (const root of roots) {
    const [discard] = await tx<{ id: string }[]>`
      insert into discards (project_id, type, title, culprit, level, discarded_by, discarded_at)
      select project_id, type, title, culprit, level, ${by}, ${now} from issues
      where project_id = ${projectId} and id = ${root}
      returning id
    `;
    const discardId = discard?.id ?? "";
    await tx`
      update issue_hashes set issue_id = -(${discardId}::bigint), merged_from = null
      where project_id = ${projectId} and issue_id = ${root}
    `;
    const parts = await tx<{ id: string }[]>`
      select id from issues where project_id = ${projectId} and merged_into = ${root}
    `;
    await queue(tx, { projectId, ids: [root, ...parts.map(({ id }) => id)], by, discardId, now });
  }
}

interface Queueing {
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly by: string;
  readonly discardId: string | null;
  readonly now: Date;
}

async function queue(
  tx: Transaction,
  { projectId, ids, by, discardId, now }: Queueing,
): Promise<void> {
  await tx`
    insert into deleted_issues (project_id, issue_id, deleted_at, deleted_by, discard_id)
    select ${projectId}, id, ${now}, ${by}, ${discardId} from unnest(${[
    ...ids,
  ]}::bigint[]) as deleted (id)
    on conflict (project_id, issue_id) do nothing
  `;
}

async function hide(
  tx: Transaction,
  projectId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await tx`
    with chosen as (
      select id from issues where project_id = ${projectId} and id = any (${[...ids]}::bigint[])
      order by id
      for update
    )
    update issues set merged_into = ${NOWHERE}, merged_at = ${now}
    from chosen where issues.project_id = ${projectId} and issues.id = chosen.id
  `;
}
