/**
 * Merging issues by hand, and undoing it. Row locks are taken in the writer's order (hashes, tags, users, issues, days,
 * hours), so that neither waits for the other in a circle; the events themselves follow later, by `finishMoves()`.
 */
import { InvalidInput } from "../core/errors.ts";
import { withTimeLimit } from "../core/waiting.ts";
import type { Queryable, Sql, Transaction } from "../store/database.ts";
import type { Backend } from "../store/stores.ts";
import { writeActivity } from "./workflow/activity.ts";
import { type IssueActor, SYSTEM } from "./workflow/state.ts";

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

/**
 * Whether a merged issue can be taken out of `target`: some of its groups are still marked as its own. Those of one that
 * was split no longer are.
 */
function isSeparable(sql: Queryable, projectId: string, target: string) {
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
  if (pending.length > 0) throw new InvalidInput("merge", STILL_MOVING);
}

/** Why an issue cannot be merged or split at this moment. */
export const STILL_MOVING =
  "Events of this issue are still on their way after the last merge or split. Try again in a minute.";

/** An issue on its way into another, or out of it again. */
interface Merge {
  readonly tx: Transaction;
  readonly projectId: string;
  readonly source: string;
  readonly target: string;
}

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

async function putInto(merge: Merge): Promise<void> {
  const { tx, projectId, source, target } = merge;
  await tx`
    update issue_hashes set issue_id = ${target}, merged_from = ${source}
    where project_id = ${projectId} and issue_id = ${source}
  `;
  await tx`
    insert into issue_tags as known (project_id, key, value, issue_id, last_seen, merged_from)
    select project_id, key, value, ${target}, last_seen, ${source} from issue_tags
    where project_id = ${projectId} and issue_id = ${source}
    order by key collate "C", value collate "C"
    on conflict (project_id, key, value, issue_id)
      do update set last_seen = greatest(known.last_seen, excluded.last_seen)
  `;
  await tx`
    insert into issue_texts (project_id, text_id, issue_id, merged_from)
    select project_id, text_id, ${target}, ${source} from issue_texts
    where project_id = ${projectId} and issue_id = ${source}
    order by text_id
    on conflict do nothing
  `;
  const { count: newUsers } = await tx`
    insert into issue_users (project_id, issue_id, user_key, merged_from)
    select project_id, ${target}, user_key, ${source} from issue_users
    where project_id = ${projectId} and issue_id = ${source}
    order by user_key collate "C"
    on conflict do nothing
  `;
  await tx`
    update issues as target set
      times_seen = target.times_seen + source.times_seen,
      users_seen = target.users_seen + ${newUsers},
      first_release = case
        when target.first_release = '' or
          (source.first_release <> '' and source.first_seen < target.first_seen)
        then source.first_release else target.first_release end,
      last_release = case
        when target.last_release = '' or
          (source.last_release <> '' and source.last_seen > target.last_seen)
        then source.last_release else target.last_release end,
      last_event_id = case
        when (source.last_seen, source.last_event_id) > (target.last_seen, target.last_event_id)
        then source.last_event_id else target.last_event_id end,
      first_seen = least(target.first_seen, source.first_seen),
      last_seen = greatest(target.last_seen, source.last_seen),
      last_seen_on = greatest(target.last_seen_on, source.last_seen_on)
    from issues as source
    where target.project_id = ${projectId} and target.id = ${target}
      and source.project_id = ${projectId} and source.id = ${source}
  `;
  await addTallies(merge);
}

async function addTallies({ tx, projectId, source, target }: Merge): Promise<void> {
  for (const [table, time] of TALLIES) {
    await tx`
      insert into ${tx(table)} as known
        (project_id, ${tx(time)}, issue_id, environment, release, times_seen)
      select project_id, ${tx(time)}, ${target}, environment, release, times_seen from ${tx(table)}
      where project_id = ${projectId} and issue_id = ${source}
      order by ${tx(time)}, environment collate "C", release collate "C"
      on conflict (project_id, ${tx(time)}, issue_id, environment, release)
        do update set times_seen = known.times_seen + excluded.times_seen
    `;
  }
}

const TALLIES = [["issue_days", "day"], ["issue_hours", "hour"]] as const;

/** The reverse of `putInto()`. */
async function takeOut(merge: Merge): Promise<void> {
  const { tx, projectId, source, target } = merge;
  await tx`
    update issue_hashes set issue_id = ${source}, merged_from = null
    where project_id = ${projectId} and issue_id = ${target} and merged_from = ${source}
  `;
  await tx`
    delete from issue_tags
    where project_id = ${projectId} and issue_id = ${target} and merged_from = ${source}
  `;
  await tx`
    delete from issue_texts
    where project_id = ${projectId} and issue_id = ${target} and merged_from = ${source}
  `;
  const { count: users } = await tx`
    delete from issue_users
    where project_id = ${projectId} and issue_id = ${target} and merged_from = ${source}
  `;
  await tx`
    update issues as target set
      times_seen = greatest(target.times_seen - source.times_seen, 0),
      users_seen = greatest(target.users_seen - ${users}, 0)
    from issues as source
    where target.project_id = ${projectId} and target.id = ${target}
      and source.project_id = ${projectId} and source.id = ${source}
  `;
  await restoreTimes(merge);
  await subtractTallies(merge);
}

/** First and last time of the events that stay; without any, the issue keeps what it has. */
export async function restoreTimes({ tx, projectId, source, target }: Merge): Promise<void> {
  const edge = (direction: "asc" | "desc") =>
    tx`(
      select "timestamp" from events
      where project_id = ${projectId} and issue_id = ${target}
        and merged_from is distinct from ${source}::bigint
      order by "timestamp" ${direction === "asc" ? tx`asc` : tx`desc`} limit 1
    )`;
  await tx`
    update issues set
      first_seen = coalesce(stays.first, first_seen),
      last_seen = coalesce(stays.last, last_seen),
      last_seen_on = coalesce((stays.last at time zone 'UTC')::date, last_seen_on),
      last_event_id = null
    from (select ${edge("asc")} as first, ${edge("desc")} as last) as stays
    where project_id = ${projectId} and id = ${target}
  `;
}

async function subtractTallies({ tx, projectId, source, target }: Merge): Promise<void> {
  for (const [table, time] of TALLIES) {
    await tx`
      update ${tx(table)} as target set times_seen = target.times_seen - source.times_seen
      from ${tx(table)} as source
      where target.project_id = ${projectId} and target.issue_id = ${target}
        and source.project_id = ${projectId} and source.issue_id = ${source}
        and source.${tx(time)} = target.${tx(time)}
        and source.environment = target.environment and source.release = target.release
    `;
    await tx`
      delete from ${tx(table)}
      where project_id = ${projectId} and issue_id = ${target} and times_seen <= 0
    `;
  }
}

async function noteMove(
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

const EVENTS_A_BATCH = 500;
/** How long a person waits for events to follow a merge. */
const WAIT_MS = 2_000;

interface Move {
  readonly projectId: string;
  readonly from: string;
  readonly to: string;
  readonly isReturn: boolean;
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
