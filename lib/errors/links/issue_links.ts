/** The links of issues to issues of trackers, as they are stored. */
import { auditIssues, inTransaction } from "../../store/audit.ts";
import type { Queryable } from "../../store/database.ts";
import { isId } from "../../store/query_limits.ts";
import type { LinkState } from "./tracker.ts";
import type { TrackerType } from "./tracker_types.ts";

export interface IssueLink {
  readonly projectId: string;
  readonly issueId: string;
  readonly id: string;
  /** Null for an address of none of the project's trackers. */
  readonly connectionId: string | null;
  readonly type: TrackerType | null;
  /** Of the connection. */
  readonly trackerName: string | null;
  readonly key: string;
  readonly url: string;
  readonly title: string;
  readonly state: LinkState;
  /** E-mail address; `""` for a token of the instance. */
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Why it could not be closed there; `""` when nobody tried, or it worked. */
  readonly closeError: string;
}

export interface NewLink {
  readonly projectId: string;
  readonly issueId: string;
  readonly connectionId: string | null;
  readonly key: string;
  readonly url: string;
  readonly title: string;
  readonly state: LinkState;
  readonly createdBy: string;
}

/** An issue has no more; whoever links more means something else. */
export const MAX_LINKS = 50;

/** The links of an issue and of what was merged into it, oldest first. */
export async function linksOfIssue(
  sql: Queryable,
  projectId: string,
  issueId: string,
): Promise<IssueLink[]> {
  return await sql<IssueLink[]>`
    select ${columns(sql)} from issue_links as link
      left join tracker_connections as tracker
        on tracker.project_id = link.project_id and tracker.connection_id = link.connection_id
    where link.project_id = ${projectId} and link.issue_id in (
      select id from issues
      where project_id = ${projectId} and (id = ${issueId} or merged_into = ${issueId})
    )
    order by link.id
    limit ${MAX_LINKS}
  `;
}

/** The same of several issues, by the id of each that has some. */
export async function linksOfIssues(
  sql: Queryable,
  projectId: string,
  issueIds: readonly string[],
): Promise<Map<string, IssueLink[]>> {
  const ids = [...issueIds];
  const rows = await sql<(IssueLink & { readonly of: string })[]>`
    select coalesce(issue.merged_into, issue.id)::text as of, ${columns(sql)}
    from issues as issue
      join issue_links as link
        on link.project_id = issue.project_id and link.issue_id = issue.id
      left join tracker_connections as tracker
        on tracker.project_id = link.project_id and tracker.connection_id = link.connection_id
    where issue.project_id = ${projectId}
      and (issue.id = any (${ids}::bigint[]) or issue.merged_into = any (${ids}::bigint[]))
    order by link.id
  `;
  const byIssue = Map.groupBy(rows, ({ of }) => of);
  return new Map(
    [...byIssue].map(([id, found]) => [
      id,
      found.slice(0, MAX_LINKS).map(({ of: _, ...link }) => link),
    ]),
  );
}

function columns(sql: Queryable) {
  return sql`
    link.project_id::text as "projectId", link.issue_id::text as "issueId", link.id::text as id,
    link.connection_id as "connectionId", tracker.type, tracker.name as "trackerName", link.key,
    link.url, link.title, link.state, link.created_by as "createdBy",
    link.created_at as "createdAt", link.close_error as "closeError"
  `;
}

/**
 * Stores a link.
 *
 * @returns its id, or null when the issue is linked to that address already
 */
export async function insertLink(sql: Queryable, link: NewLink): Promise<string | null> {
  return await inTransaction(sql, (tx) => storeLink(tx, link));
}

async function storeLink(sql: Queryable, link: NewLink): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    insert into issue_links (
      project_id, issue_id, connection_id, key, url, title, state, created_by, created_at
    ) values (
      ${link.projectId}, ${link.issueId}, ${link.connectionId}, ${link.key}, ${link.url},
      ${link.title}, ${link.state}, ${link.createdBy}, now()
    )
    on conflict (project_id, issue_id, url) do nothing
    returning id::text as id
  `;
  if (row === undefined) return null;
  const changes = { link: [null, link.url] } as const;
  await auditIssues(sql, "issue.link", link.projectId, [link.issueId], changes);
  return row.id;
}

/** Removes a link; what it leads to stays as it is. @returns false when the issue has none of this id */
export async function deleteLink(
  sql: Queryable,
  projectId: string,
  issueId: string,
  linkId: string,
): Promise<boolean> {
  if (!isId(linkId)) return false;
  return await inTransaction(sql, async (tx) => {
    const rows = await tx<{ url: string }[]>`
      delete from issue_links
      where project_id = ${projectId} and id = ${linkId} and issue_id in (
        select id from issues
        where project_id = ${projectId} and (id = ${issueId} or merged_into = ${issueId})
      )
      returning url
    `;
    const [gone] = rows;
    if (gone === undefined) return false;
    await auditIssues(tx, "issue.unlink", projectId, [issueId], { link: [gone.url, null] });
    return true;
  });
}

/** A link that a webhook speaks of, with how its issue stands. */
export interface ToldLink {
  readonly id: string;
  /** What was merged into another stands for that. */
  readonly issueId: string;
  readonly state: LinkState;
  readonly status: "unresolved" | "resolved" | "ignored";
}

/**
 * The links to one issue of a tracker that are older than what is told now.
 *
 * @param at by the tracker's clock; null: it does not say
 */
export async function linksToldOf(
  sql: Queryable,
  projectId: string,
  { connectionId, key, at }: {
    readonly connectionId: string;
    readonly key: string;
    readonly at: Date | null;
  },
): Promise<ToldLink[]> {
  return await sql<ToldLink[]>`
    select link.id::text as id, shown.id::text as "issueId", link.state, shown.status
    from issue_links as link
      join issues as own on own.project_id = link.project_id and own.id = link.issue_id
      join issues as shown
        on shown.project_id = own.project_id and shown.id = coalesce(own.merged_into, own.id)
    where link.project_id = ${projectId} and link.connection_id = ${connectionId}
      and lower(link.key) = lower(${key})
      and (${at}::timestamptz is null or link.state_at is null or link.state_at <= ${at})
    order by link.id
  `;
}

/** Keeps what the tracker says of an issue. */
export async function noteState(
  sql: Queryable,
  projectId: string,
  linkIds: readonly string[],
  { state, title, at }: {
    readonly state: LinkState;
    readonly title: string;
    readonly at: Date | null;
  },
): Promise<void> {
  await sql`
    update issue_links set
      state = case when ${state}::text = 'unknown' then state else ${state} end,
      title = case when ${title}::text = '' then title else ${title} end,
      state_at = coalesce(${at}, state_at),
      close_error = case when ${state}::text = 'closed' then '' else close_error end
    where project_id = ${projectId} and id = any (${[...linkIds]}::bigint[])
  `;
}
