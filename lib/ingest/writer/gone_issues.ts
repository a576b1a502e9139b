/**
 * What a writer does when an issue that it has just looked up was merged or deleted meanwhile: it takes everything back,
 * puts the hashes right that still lead there, and begins again.
 */
import type { Sql, Transaction } from "../../store/database.ts";
import { isByValue } from "../../store/write_rows.ts";
import type { FiledEvent } from "./events.ts";

/** An issue, or a discard, whose id is negative here. */
interface Gone {
  readonly projectId: string;
  readonly id: string;
}

/** The transaction has found issues that stand for themselves no more; the same again may succeed. */
export class IssuesGone extends Error {
  override name = "IssuesGone";
  /** As a failed serialization: `failureOf()` takes it for a conflict. */
  readonly code = "40001";

  constructor(readonly gone: readonly Gone[]) {
    super("Cannot store: an issue was merged or deleted meanwhile");
  }
}

/** Whether an id that hashes lead to is a discard, so that events are dropped. */
export function isDiscard(issueId: string): boolean {
  return issueId.startsWith("-");
}

/**
 * Counts events that are dropped because their group was discarded.
 *
 * @throws {IssuesGone} when its events are taken again
 */
export async function countDiscarded(
  tx: Transaction,
  discarded: readonly FiledEvent[],
): Promise<void> {
  if (discarded.length === 0) return;
  const counted = isByValue(tx)
    ? await countApart(tx, discarded)
    : await countTogether(tx, discarded);
  const known = new Set(counted.map(({ projectId, id }) => `${projectId}/-${id}`));
  const gone = discarded.filter(({ projectId, issueId }) => !known.has(`${projectId}/${issueId}`))
    .map(({ projectId, issueId }) => ({ projectId, id: issueId }));
  if (gone.length > 0) throw new IssuesGone(gone);
}

/** @returns the discards that are still there; their ids are positive here */
async function countTogether(tx: Transaction, discarded: readonly FiledEvent[]): Promise<Gone[]> {
  return await tx<Gone[]>`
    with counts as (
      select project_id, id, count(*) as count, max(received_at) as last
      from unnest(
        ${discarded.map(({ projectId }) => projectId)}::bigint[],
        ${discarded.map(({ issueId }) => issueId.slice(1))}::bigint[],
        ${discarded.map(({ row }) => row.receivedAt)}::text[]::timestamptz[]
      ) as dropped (project_id, id, received_at)
      group by project_id, id
    ),
    locked as (
      select project_id, id from discards join counts using (project_id, id)
      order by project_id, id
      for update of discards
    )
    update discards set
      times_dropped = times_dropped + counts.count,
      last_dropped_at = greatest(last_dropped_at, counts.last)
    from counts join locked using (project_id, id)
    where discards.project_id = counts.project_id and discards.id = counts.id
    returning discards.project_id as "projectId", discards.id
  `;
}

/** By a statement for each, which Citus sends to one worker; in one order, as all locks. */
async function countApart(tx: Transaction, discarded: readonly FiledEvent[]): Promise<Gone[]> {
  const groups = Map.groupBy(discarded, ({ projectId, issueId }) => `${projectId}/${issueId}`);
  const sorted = [...groups].sort(([one], [other]) => one < other ? -1 : 1);
  const counted = await Promise.all(sorted.map(async ([, events]) => {
    const [projectId, id] = [events[0]?.projectId ?? "", events[0]?.issueId.slice(1) ?? ""];
    const times = events.map(({ row }) => row.receivedAt).sort();
    return await tx<Gone[]>`
      update discards set
        times_dropped = times_dropped + ${events.length},
        last_dropped_at = greatest(last_dropped_at, ${times.at(-1) ?? ""}::text::timestamptz)
      where project_id = ${projectId} and id = ${id}
      returning project_id as "projectId", id
    `;
  }));
  return counted.flat();
}

/**
 * Puts hashes right that were bound to an issue at the very moment it was merged or deleted: they lead to what it is part
 * of, to its discard, or to nothing, so that the next event opens a new issue.
 */
export async function rebindHashes(sql: Sql, { gone }: IssuesGone): Promise<void> {
  // By project, whose rows Citus has on one worker.
  for (const [projectId, issues] of Map.groupBy(gone, ({ projectId }) => projectId)) {
    await rebindOfProject(sql, projectId, [...new Set(issues.map(({ id }) => id))]);
  }
}

async function rebindOfProject(sql: Sql, projectId: string, ids: readonly string[]): Promise<void> {
  await sql`
    with known as (
      select gone.id,
        case
          when gone.id < 0 then -discards.id
          when issues.merged_into > 0 then issues.merged_into
          when issues.merged_into is null then issues.id
          else -deleted.discard_id
        end as leads_to
      from unnest(${ids}::bigint[]) as gone (id)
      left join issues on issues.project_id = ${projectId} and issues.id = gone.id
      left join discards on discards.project_id = ${projectId} and discards.id = -gone.id
      left join deleted_issues as deleted
        on deleted.project_id = ${projectId} and deleted.issue_id = gone.id
    ),
    unbound as (
      delete from issue_hashes using known
      where issue_hashes.project_id = ${projectId} and issue_hashes.issue_id = known.id
        and known.leads_to is null
    )
    update issue_hashes set
      issue_id = known.leads_to,
      merged_from = case when known.leads_to > 0 then known.id end
    from known
    where issue_hashes.project_id = ${projectId} and issue_hashes.issue_id = known.id
      and known.leads_to <> known.id
  `;
}
