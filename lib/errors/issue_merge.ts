/**
 * Merging issues by hand. Row locks are taken in the writer's order (hashes, tags, users, issues, days,
 * hours), so that neither waits for the other in a circle; the events themselves follow later, by `finishMoves()`.
 */
import { InvalidInput } from "../core/errors.ts";
import { auditIssues } from "../store/audit.ts";
import type { Queryable, Sql, Transaction } from "../store/database.ts";
import { noteMove } from "./issue_moves.ts";
import { type Merge, putInto, takeOut } from "./merged_rows.ts";
import { writeActivity } from "./workflow/activity.ts";
import { type IssueActor, SYSTEM } from "./workflow/state.ts";
import { message, t } from "../core/language/translate.ts";

/** Advisory lock under which issues of a project are merged, beside the project's id. */
const MERGE_LOCK = 731_057;

/** What deleted issues are merged into while their data goes: no issue has this id. */
export const NOWHERE = "0";

/** What a merge did. */
export interface Merged {
  readonly into: string;
  /** The issues that are now part of it. */
  readonly sources: readonly string[];
  /** Those that were part of one of these before, by its id. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /** For `takeBack()`. */
  readonly undo: string | null;
}

/** An issue that was merged into another. */
export interface MergedIssue {
  readonly id: string;
  readonly title: string;
  readonly culprit: string;
  /** Events of its own, up to the merge. */
  readonly timesSeen: number;
  readonly mergedAt: Date;
}

interface Candidate {
  readonly id: string;
  readonly timesSeen: string;
}

/**
 * Merges issues into the one of them with the most events; the others disappear from lists, and what arrives for
 * them counts for that one. Ids that are unknown, or merged already, are passed over.
 *
 * @param options.into the one that stays, in place of that with the most events
 * @returns null when fewer than two issues are left to merge
 * @throws {InvalidInput} while the events of one of them still follow a split
 */
export async function mergeIssues(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  now: Date = new Date(),
  { actor = SYSTEM, into = null }: {
    readonly actor?: IssueActor;
    readonly into?: string | null;
  } = {},
): Promise<Merged | null> {
  return await sql.begin(async (tx) => {
    await lockMerges(tx, projectId);
    await refuseWhileSplitting(tx, projectId, issueIds);
    const candidates = await tx<Candidate[]>`
      select id, times_seen as "timesSeen" from issues
      where project_id = ${projectId} and id = any (${[...issueIds]}::bigint[])
        and merged_into is null
      order by id = ${into}::bigint desc nulls last, times_seen desc, id
    `;
    const [target, ...sources] = candidates.map(({ id }) => id);
    if (target === undefined || sources.length === 0) return null;
    const parts = new Map<string, readonly string[]>();
    for (const source of sources) {
      parts.set(source, await mergeOne({ tx, projectId, source, target }, now));
    }
    const data = { issues: sources.map((id) => ({ id, parts: parts.get(id) ?? [] })) };
    const [undo = null] = await writeActivity(tx, [
      { projectId, issueId: target, type: "merge", actor, data, at: now },
    ]);
    await auditIssues(tx, "issue.merge", projectId, [target], { issues: [null, sources] });
    return { into: target, sources, parts, undo };
  });
}

/** What was merged into an issue, the most recent merge first. */
export async function mergedInto(
  sql: Sql,
  projectId: string,
  issueId: string,
): Promise<MergedIssue[]> {
  const rows = await sql<(Omit<MergedIssue, "timesSeen"> & { timesSeen: string })[]>`
    select id, title, culprit, times_seen as "timesSeen", merged_at as "mergedAt" from issues
    where project_id = ${projectId} and merged_into = ${issueId}
      and ${isSeparable(sql, projectId, issueId)}
    order by merged_at desc, id
  `;
  return rows.map((row) => ({ ...row, timesSeen: Number(row.timesSeen) }));
}

/**
 * Whether a merged issue can be taken out of `target`: some of its groups are still marked as its own. Those of one that
 * was split no longer are.
 */
export function isSeparable(sql: Queryable, projectId: string, target: string) {
  return sql`exists (
    select from issue_hashes
    where issue_hashes.project_id = ${projectId} and issue_hashes.issue_id = ${target}
      and issue_hashes.merged_from = issues.id
  )`;
}

async function refuseWhileSplitting(
  tx: Transaction,
  projectId: string,
  issueIds: readonly string[],
): Promise<void> {
  const pending = await tx`
    select from issue_splits
    where project_id = ${projectId} and settles_at is null
      and (from_issue = any (${[...issueIds]}::bigint[]) or to_issue = any (${[
    ...issueIds,
  ]}::bigint[]))
    limit 1
  `;
  if (pending.length > 0) throw new InvalidInput("merge", t(STILL_MOVING));
}

/** Why an issue cannot be merged or split at this moment. */
export const STILL_MOVING = message(
  "Events of this issue are still on their way after the last merge or split. Try again in a minute.",
);

/** Only one transaction at a time merges, splits or deletes issues of a project. */
export async function lockMerges(tx: Transaction, projectId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(${MERGE_LOCK}, hashint8(${projectId}::bigint))`;
}

/**
 * What was merged into `source` before belongs to `target` from now on, each issue by itself.
 *
 * @returns the ids of what was
 */
async function mergeOne(
  { tx, projectId, source, target }: Merge,
  now: Date,
): Promise<readonly string[]> {
  const all = await tx<{ id: string; isSeparable: boolean }[]>`
    select id, ${isSeparable(tx, projectId, source)} as "isSeparable" from issues
    where project_id = ${projectId} and merged_into = ${source} order by id
  `;
  const parts = all.filter((part) => part.isSeparable).map(({ id }) => id);
  // Their events are the other's for good; only their old addresses still lead there.
  await tx`
    update issues set merged_into = ${target}
    where project_id = ${projectId} and merged_into = ${source} and id <> all (${parts}::bigint[])
  `;
  // Nothing is on its way any more: see refuseWhileSplitting().
  await tx`
    delete from issue_splits
    where project_id = ${projectId} and (from_issue = ${source} or to_issue = ${source})
  `;
  for (const id of parts) await takeOut({ tx, projectId, source: id, target: source });
  for (const id of [source, ...parts]) {
    await putInto({ tx, projectId, source: id, target });
    await noteMove(tx, { projectId, from: id, to: target, isReturn: false });
    await tx`
      update issues set merged_into = ${target}, merged_at = ${now}
      where project_id = ${projectId} and id = ${id}
    `;
  }
  return parts;
}
