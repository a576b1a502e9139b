/** What was done with issues, and by whom: written in the transaction of the change itself. */
import { storableJson } from "../../core/errors.ts";
import type { Queryable, Transaction } from "../../store/database.ts";
import { type Columns, incoming } from "../../store/write_rows.ts";
import type { IssueActor } from "./state.ts";

/** As Sentry names them. */
export const ACTIVITY_TYPES = [
  "set_resolved",
  "set_resolved_in_release",
  "set_resolved_in_commit",
  "set_resolved_by_age",
  "set_unresolved",
  "set_ignored",
  "set_regression",
  "set_escalating",
  "auto_set_ongoing",
  "set_priority",
  "assigned",
  "unassigned",
  "note",
  "merge",
  "unmerge_source",
  "unmerge_destination",
  "mark_reviewed",
  "set_public",
  "set_private",
  "create_issue",
  "referenced_in_commit",
] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

export interface NewActivity {
  readonly projectId: string;
  readonly issueId: string;
  readonly type: ActivityType;
  readonly actor: IssueActor;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly at: Date;
  /** What was done at once has one number. */
  readonly changeId?: string;
  /** How the issue was, as far as this changed it. */
  readonly before?: Readonly<Record<string, unknown>>;
}

const COLUMNS: Columns<NewActivity> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  issue_id: ["bigint", ({ issueId }) => issueId],
  type: ["text", ({ type }) => type],
  actor_kind: ["text", ({ actor }) => actor.kind],
  actor_id: ["text", ({ actor }) => actor.id ?? null],
  data: ["json", ({ data }) => storableJson(data ?? {})],
  created_at: ["timestamptz", ({ at }) => at],
  change_id: ["bigint", ({ changeId }) => changeId ?? null],
  before: ["text", ({ before }) => before === undefined ? null : JSON.stringify(before)],
};

/** @returns the ids of what was written, in its order */
export async function writeActivity(
  tx: Transaction,
  entries: readonly NewActivity[],
): Promise<string[]> {
  if (entries.length === 0) return [];
  const rows = await tx<{ id: string }[]>`
    insert into issue_activity
      (project_id, issue_id, type, actor_kind, actor_id, data, created_at, change_id, before)
    select project_id, issue_id, type, actor_kind, actor_id, data, created_at, change_id, before::jsonb
    from ${incoming(tx, entries, COLUMNS)}
    returning id
  `;
  return rows.map(({ id }) => id);
}

/** What was done with an issue, as it is stored. */
export interface ActivityEntry {
  readonly id: string;
  readonly issueId: string;
  readonly type: ActivityType;
  readonly actor: IssueActor;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** More are not shown of an issue. */
export const MAX_ACTIVITY = 100;

/**
 * What was done with an issue, the newest first. Of equal neighbours, as when somebody sets a priority twice, the newest is
 * left.
 */
export async function listActivity(
  sql: Queryable,
  projectId: string,
  issueId: string,
): Promise<ActivityEntry[]> {
  const rows = await sql<RawEntry[]>`
    select ${columns(sql)} from issue_activity
    where project_id = ${projectId} and issue_id = ${issueId}
    order by id desc limit ${MAX_ACTIVITY}
  `;
  return rows.map(toEntry).filter((entry, place, all) => {
    const newer = all[place - 1];
    return newer === undefined || entry.type === "note" || keyOf(newer) !== keyOf(entry);
  });
}

function keyOf({ type, actor, data }: ActivityEntry): string {
  return JSON.stringify([type, actor, data]);
}

/** Comments only, the newest first. @param before the id of the last one of the page before */
export async function listNotes(
  sql: Queryable,
  projectId: string,
  issueId: string,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<ActivityEntry[]> {
  const rows = await sql<RawEntry[]>`
    select ${columns(sql)} from issue_activity
    where project_id = ${projectId} and issue_id = ${issueId} and type = 'note'
      ${before === null ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}
  `;
  return rows.map(toEntry);
}

/**
 * What was done in projects, the newest first.
 *
 * @param page.before the id of the last one of the page before
 */
export async function listActivityOf(
  sql: Queryable,
  projectIds: readonly string[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<(ActivityEntry & { readonly projectId: string })[]> {
  const rows = await sql<(RawEntry & { readonly projectId: string })[]>`
    select found.* from unnest(${[...projectIds]}::bigint[]) as asked (project_id)
      cross join lateral (
        select asked.project_id::text as "projectId", ${columns(sql)} from issue_activity
        where issue_activity.project_id = asked.project_id
          ${before === null ? sql`` : sql`and id < ${before}`}
        order by id desc limit ${limit}
      ) as found
    order by found.id desc limit ${limit}
  `;
  return rows.map((row) => ({ ...toEntry(row), projectId: row.projectId }));
}

/** One entry, or null. */
export async function findActivity(
  sql: Queryable,
  projectId: string,
  issueId: string,
  id: string,
): Promise<ActivityEntry | null> {
  const [row] = await sql<RawEntry[]>`
    select ${columns(sql)} from issue_activity
    where project_id = ${projectId} and issue_id = ${issueId} and id = ${id}
  `;
  return row === undefined ? null : toEntry(row);
}

/** How many comments these issues have; none is absent. */
export async function countNotes(
  sql: Queryable,
  projectId: string,
  issueIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql<{ issueId: string; count: number }[]>`
    select issue_id as "issueId", count(*)::int as count from issue_activity
    where project_id = ${projectId} and issue_id = any (${[
    ...issueIds,
  ]}::bigint[]) and type = 'note'
    group by issue_id
  `;
  return new Map(rows.map(({ issueId, count }) => [issueId, count]));
}

type RawEntry = Omit<ActivityEntry, "actor"> & {
  readonly actorKind: IssueActor["kind"];
  readonly actorId: string | null;
};

function columns(sql: Queryable) {
  return sql`
    id, issue_id as "issueId", type, actor_kind as "actorKind", actor_id as "actorId", data,
    created_at as "createdAt"
  `;
}

function toEntry({ actorKind, actorId, ...entry }: RawEntry): ActivityEntry {
  return { ...entry, actor: { kind: actorKind, ...actorId === null ? {} : { id: actorId } } };
}
