/** Splitting an issue: some of its groups become an issue of their own, and their events follow (`follow_splits.ts`). */
import { InvalidInput } from "../../core/errors.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { isHexId, isId } from "../../store/query_limits.ts";
import { lockMerges, STILL_MOVING } from "../issue_merge.ts";
import { finishMoves, type MergeBackend } from "../issue_moves.ts";
import { lastUnmerge, noteUnmerge, unmergeWithin } from "../issue_unmerge.ts";
import { type IssueActor, SYSTEM } from "../workflow/state.ts";
import { finishSplits } from "./follow_splits.ts";
import { message, t } from "../../core/language/translate.ts";

/** A group of events, as its hash tells it. */
export interface IssueGroup {
  /** 32 lower-case hex digits. */
  readonly hash: string;
  /** The issue that it came with by a merge, or null. */
  readonly mergedFrom: string | null;
  /** Among the newest {@linkcode RECENT} events of the issue. */
  readonly recentEvents: number;
  /** The newest of those; null without one. */
  readonly latest: {
    readonly eventId: string;
    readonly title: string;
    readonly timestamp: Date;
  } | null;
}

/** So many events are looked at to tell what groups are about. */
export const RECENT = 2_000;
/** An issue of more groups is one of a made-up fingerprint; the oldest are left out. */
export const MAX_GROUPS = 200;

/** The groups of an issue, those with the newest events first. */
export async function groupsOf(
  sql: Sql,
  projectId: string,
  issueId: string,
): Promise<IssueGroup[]> {
  const rows = await sql<
    {
      hash: string;
      mergedFrom: string | null;
      recentEvents: number;
      eventId: string | null;
      title: string | null;
      timestamp: Date | null;
    }[]
  >`
    with recent as (
      select group_hash, event_id, title, "timestamp" from events
      where project_id = ${projectId} and issue_id = ${issueId}
      order by "timestamp" desc, event_id desc
      limit ${RECENT}
    ),
    counted as (
      select distinct on (group_hash)
        group_hash, event_id, title, "timestamp",
        count(*) over (partition by group_hash)::int as count
      from recent where group_hash is not null
      order by group_hash, "timestamp" desc, event_id desc
    )
    select replace(hash::text, '-', '') as hash, merged_from as "mergedFrom",
      coalesce(counted.count, 0) as "recentEvents",
      replace(counted.event_id::text, '-', '') as "eventId", counted.title, counted."timestamp"
    from issue_hashes left join counted on counted.group_hash = hash
    where project_id = ${projectId} and issue_id = ${issueId}
    order by counted."timestamp" desc nulls last, hash
    limit ${MAX_GROUPS}
  `;
  return rows.map(({ hash, mergedFrom, recentEvents, eventId, title, timestamp }) => ({
    hash,
    mergedFrom,
    recentEvents,
    latest: eventId === null || title === null || timestamp === null
      ? null
      : { eventId, title, timestamp },
  }));
}

/** What became of a split. */
export interface Split {
  /** The issue that the groups are now. */
  readonly issueId: string;
  /** False: they were all that had been merged from this issue, which is its own again. */
  readonly isNew: boolean;
  /** For `takeBack()`. */
  readonly undo: string | null;
}

/**
 * Makes groups of an issue an issue of their own. All groups of one merged issue become that issue again.
 *
 * @param hashes what a client sent, whatever it is
 * @throws {InvalidInput} when none or all groups are named, and while events still follow the last merge or split
 */
export async function splitIssue(
  sql: Sql,
  projectId: string,
  issueId: string,
  hashes: readonly string[],
  actor: IssueActor = SYSTEM,
  now: Date = new Date(),
): Promise<Split> {
  if (!isId(issueId)) throw new InvalidInput("hash", t(NOT_FOUND));
  return await sql.begin(async (tx) => {
    await lockMerges(tx, projectId);
    const split = await choose(tx, projectId, issueId, new Set(hashes.filter(isHexId)));
    if (split.unmerged !== null) {
      const mergedId = split.unmerged;
      if (!await unmergeWithin(tx, { projectId, issueId, mergedId, actor })) {
        throw new InvalidInput("hash", t(NOT_FOUND));
      }
      return { issueId: mergedId, isNew: false, undo: await lastUnmerge(tx, projectId, issueId) };
    }
    const made = await takeGroupsOut(tx, { projectId, issueId, ...split, now });
    const undo = await noteUnmerge(tx, { projectId, issueId, mergedId: made, actor });
    return { issueId: made, isNew: true, undo };
  });
}

const NOT_FOUND = message("The issue has none of these groups any more.");

interface Choice {
  readonly hashes: readonly string[];
  /** Merged issues of which some groups go. */
  readonly frozen: readonly string[];
  /** The merged issue whose groups these are, all of them and no other. */
  readonly unmerged: string | null;
}

async function choose(
  tx: Transaction,
  projectId: string,
  issueId: string,
  wanted: ReadonlySet<string>,
): Promise<Choice> {
  const groups = await tx<{ hash: string; mergedFrom: string | null }[]>`
    select replace(hash::text, '-', '') as hash, merged_from as "mergedFrom" from issue_hashes
    where project_id = ${projectId} and issue_id = ${issueId}
    order by hash
    for update
  `;
  const chosen = groups.filter(({ hash }) => wanted.has(hash));
  if (groups.length === 0) throw new InvalidInput("hash", t(NOT_FOUND));
  if (chosen.length === 0) throw new InvalidInput("hash", t("Choose at least one group first."));
  if (chosen.length === groups.length) {
    throw new InvalidInput("hash", t("Leave at least one group with the issue."));
  }
  if (await isMoving(tx, projectId, issueId)) throw new InvalidInput("hash", t(STILL_MOVING));
  const sources = [...new Set(chosen.map(({ mergedFrom }) => mergedFrom))];
  const [source = null] = sources;
  const isWhole = sources.length === 1 && source !== null &&
    groups.every(({ hash, mergedFrom }) => mergedFrom !== source || wanted.has(hash));
  return {
    hashes: chosen.map(({ hash }) => hash),
    frozen: sources.filter((id) => id !== null),
    unmerged: isWhole ? source : null,
  };
}

async function isMoving(tx: Transaction, projectId: string, issueId: string): Promise<boolean> {
  const rows = await tx`
    select from issue_moves
    where project_id = ${projectId} and (from_issue = ${issueId} or to_issue = ${issueId})
    union all
    select from issue_splits
    where project_id = ${projectId} and (from_issue = ${issueId} or to_issue = ${issueId})
      and settles_at is null
    limit 1
  `;
  return rows.length > 0;
}

interface TakingOut extends Choice {
  readonly projectId: string;
  readonly issueId: string;
  readonly now: Date;
}

/** The new issue begins as the old one without a figure; its events bring them, and its words. */
async function takeGroupsOut(
  tx: Transaction,
  { projectId, issueId, hashes, frozen, now }: TakingOut,
): Promise<string> {
  const [made] = await tx<{ id: string }[]>`
    insert into issues (
      project_id, id, type, title, culprit, level, platform, metadata, status_changed_at, first_seen,
      last_seen, last_seen_on, substatus, substatus_since, priority
    )
    select project_id, nextval('issue_ids'), type, title, culprit, level, platform, metadata, ${now},
      first_seen, last_seen, last_seen_on, 'new', ${now}, priority
    from issues
    where project_id = ${projectId} and id = ${issueId} and merged_into is null
    returning id
  `;
  if (made === undefined) throw new InvalidInput("hash", t(NOT_FOUND));
  await tx`
    update issue_hashes set
      issue_id = case when hash = any (${[
    ...hashes,
  ]}::uuid[]) then ${made.id}::bigint else issue_id end,
      merged_from = null
    where project_id = ${projectId} and issue_id = ${issueId}
      and (hash = any (${[...hashes]}::uuid[]) or merged_from = any (${[...frozen]}::bigint[]))
  `;
  await tx`
    insert into issue_splits (project_id, to_issue, from_issue, hashes, frozen, created_at)
    values (
      ${projectId}, ${made.id}, ${issueId}, ${[...hashes]}::uuid[], ${[...frozen]}::bigint[], ${now}
    )
  `;
  await tx`
    with taken as (
      insert into issue_numbers as known (project_id, last_number) values (${projectId}, 1)
      on conflict (project_id) do update set last_number = known.last_number + 1
      returning last_number
    )
    update issues set number = taken.last_number from taken
    where project_id = ${projectId} and id = ${made.id}
  `;
  return made.id;
}

/** How long a person waits for events to follow. */
const WAIT_MS = 2_000;

/**
 * Lets the events of one project follow its merges and splits. Usually done at once; what takes longer goes on by itself,
 * and maintenance finishes what a stop cut short. Never throws.
 */
export async function letSplitsFollow(
  { sql, log, stopping }: MergeBackend,
  projectId: string,
): Promise<void> {
  const moving = (async () => {
    await finishMoves(sql, projectId, stopping);
    await finishSplits(sql, projectId, stopping);
  })().catch((error: unknown) =>
    log.warn("cannot move the events of split issues yet", { project: projectId, error })
  );
  await withTimeLimit(moving, WAIT_MS).catch(() => {});
}
