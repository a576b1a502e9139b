/** What of a project's issues somebody should look at: those that are new or came back, until a person has reviewed them. */
import type postgres from "postgres";
import type { Queryable, Transaction } from "../../store/database.ts";
import { writeActivity } from "./activity.ts";
import type { IssueActor } from "./state.ts";

/**
 * Whether `issues as i` is for review: it is open, and since it got its substatus nobody has reviewed it, or somebody has
 * asked for it. What is ongoing is known.
 */
export function isForReview(sql: Queryable): postgres.Fragment {
  return sql`
    (i.status = 'unresolved' and (
      i.reviewed_at = '-infinity' or (
        i.substatus in ('new', 'regressed', 'escalating')
        and (i.reviewed_at is null or i.reviewed_at < i.substatus_since)
      )
    ))
  `;
}

/**
 * Marks issues as reviewed, or asks for it once more. Those that are as asked for already are passed over.
 *
 * @returns the ids of those that changed
 */
export async function review(
  tx: Transaction,
  projectId: string,
  issueIds: readonly string[],
  isReviewed: boolean,
  actor: IssueActor,
  now: Date,
): Promise<string[]> {
  const changed = await tx<{ id: string }[]>`
    with meant as (
      select i.id from issues as i
      where i.project_id = ${projectId} and i.id = any (${[...issueIds]}::bigint[])
        and i.merged_into is null and i.status = 'unresolved'
        and ${isForReview(tx)} = ${isReviewed}
      order by i.id
      for update
    )
    update issues set
      reviewed_at = ${isReviewed ? tx`${now}::timestamptz` : tx`'-infinity'`}
    from meant
    where issues.project_id = ${projectId} and issues.id = meant.id
    returning issues.id
  `;
  const ids = changed.map(({ id }) => id);
  if (isReviewed) {
    await writeActivity(
      tx,
      ids.map((issueId) => ({ projectId, issueId, type: "mark_reviewed", actor, at: now })),
    );
  }
  return ids;
}
