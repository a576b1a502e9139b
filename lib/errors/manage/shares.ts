/** Links by which anybody may look at an issue: made, listed, revoked and followed. */
import { DAY_MS } from "../../core/time.ts";
import { auditIssues, inTransaction } from "../../store/audit.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { isHexId } from "../../store/query_limits.ts";
import { writeActivity } from "../workflow/activity.ts";
import { type IssueActor, SYSTEM } from "../workflow/state.ts";

export interface Share {
  /** As in the address: the project, and 32 hex digits that nobody guesses. */
  readonly id: string;
  readonly projectId: string;
  readonly issueId: string;
  /** Who made it, as people know them. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Whether the source around frames is shown. */
  readonly withSource: boolean;
}

/** For how many days links may hold. */
export const SHARE_DAYS = [1, 7, 30, 90] as const;
export const DEFAULT_SHARE_DAYS = 30;
/** An issue has no more links at a time: who needs one more revokes another. */
export const MAX_SHARES = 20;

interface NewShare {
  readonly projectId: string;
  readonly issueId: string;
  readonly by: string;
  readonly days?: number;
  readonly withSource?: boolean;
}

/**
 * Makes a link to an issue.
 *
 * @returns null when the project has no such issue, or it has {@linkcode MAX_SHARES} links
 */
export async function shareIssue(
  sql: Queryable,
  { projectId, issueId, by, days = DEFAULT_SHARE_DAYS, withSource = false }: NewShare,
  now: Date = new Date(),
): Promise<Share | null> {
  return await inTransaction(sql, async (tx) => {
    const share = await insertShare(tx, { projectId, issueId, by, days, withSource }, now);
    if (share !== null) {
      const changes = {
        expiresAt: [null, share.expiresAt],
        withSource: [null, withSource],
      } as const;
      await auditIssues(tx, "issue.share", projectId, [issueId], changes);
    }
    return share;
  });
}

async function insertShare(
  sql: Queryable,
  { projectId, issueId, by, days, withSource }: Required<NewShare>,
  now: Date,
): Promise<Share | null> {
  const id = crypto.getRandomValues(new Uint8Array(16)).toHex();
  const rows = await sql<RawShare[]>`
    insert into issue_shares (
      project_id, id, issue_id, created_by, created_at, expires_at, with_source
    )
    select project_id, ${id}::uuid, id, ${by}, ${now},
      ${new Date(now.getTime() + days * DAY_MS)}, ${withSource}
    from issues
    where project_id = ${projectId} and id = ${issueId} and merged_into is null
      and ${MAX_SHARES} > (
        select count(*) from issue_shares
        where project_id = ${projectId} and issue_id = ${issueId} and expires_at > ${now}
      )
    returning ${columns(sql)}
  `;
  return rows[0] === undefined ? null : toShare(rows[0]);
}

/** The links to an issue that still hold, the newest first. */
export async function sharesOf(
  sql: Sql,
  projectId: string,
  issueId: string,
  now: Date = new Date(),
): Promise<Share[]> {
  const rows = await sql<RawShare[]>`
    select ${columns(sql)} from issue_shares
    where project_id = ${projectId} and issue_id = ${issueId} and expires_at > ${now}
    order by created_at desc, id
  `;
  return rows.map(toShare);
}

/** The newest link of each of these issues that has one. */
export async function shareIds(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  now: Date = new Date(),
): Promise<Map<string, string>> {
  const rows = await sql<RawShare[]>`
    select distinct on (issue_id) ${columns(sql)} from issue_shares
    where project_id = ${projectId} and issue_id = any (${[...issueIds]}::bigint[])
      and expires_at > ${now}
    order by issue_id, created_at desc, id
  `;
  return new Map(rows.map(toShare).map(({ issueId, id }) => [issueId, id]));
}

/**
 * Ends a link.
 *
 * @param shareId what a client sent, whatever it is
 * @returns false when the issue has no such link
 */
export async function revokeShare(
  sql: Sql,
  projectId: string,
  issueId: string,
  shareId: string,
): Promise<boolean> {
  const parts = partsOf(shareId);
  if (parts === null || parts.projectId !== projectId) return false;
  return await inTransaction(sql, async (tx) => {
    const { count } = await tx`
      delete from issue_shares
      where project_id = ${projectId} and issue_id = ${issueId} and id = ${parts.secret}::uuid
    `;
    if (count > 0) await auditIssues(tx, "issue.unshare", projectId, [issueId]);
    return count > 0;
  });
}

/**
 * Ends all links to an issue, and makes a new one when it shall be public: as Sentry's `isPublic` does. The activity tells
 * of it when it was not so before.
 */
export async function setPublic(
  sql: Sql,
  { projectId, issueId, by }: NewShare,
  isPublic: boolean,
  actor: IssueActor = SYSTEM,
  now: Date = new Date(),
): Promise<Share | null> {
  return await sql.begin(async (tx) => {
    const ended = await tx<{ isOver: boolean }[]>`
      delete from issue_shares where project_id = ${projectId} and issue_id = ${issueId}
      returning expires_at <= ${now} as "isOver"
    `;
    const wasPublic = ended.some(({ isOver }) => !isOver);
    const share = isPublic ? await shareIssue(tx, { projectId, issueId, by }, now) : null;
    if (wasPublic !== (share !== null)) {
      if (share === null) await auditIssues(tx, "issue.unshare", projectId, [issueId]);
      const type = share === null ? "set_private" : "set_public";
      await writeActivity(tx, [{ projectId, issueId, type, actor, at: now }]);
    }
    return share;
  });
}

/**
 * The link of an address, while it holds.
 *
 * @param shareId what a stranger sent, whatever it is
 */
export async function findShare(
  sql: Sql,
  shareId: string,
  now: Date = new Date(),
): Promise<Share | null> {
  const parts = partsOf(shareId);
  if (parts === null) return null;
  const [row] = await sql<RawShare[]>`
    select ${columns(sql)} from issue_shares
    where project_id = ${parts.projectId} and id = ${parts.secret}::uuid and expires_at > ${now}
  `;
  return row === undefined ? null : toShare(row);
}

/** `7-9f86…`: queries begin with the project. */
function partsOf(shareId: string): { projectId: string; secret: string } | null {
  const [, projectId, secret] = /^(\d{1,18})-([0-9a-f]{32})$/.exec(shareId) ?? [];
  return projectId === undefined || secret === undefined || !isHexId(secret)
    ? null
    : { projectId, secret };
}

type RawShare = Omit<Share, "id"> & { readonly secret: string };

function columns(sql: Queryable) {
  return sql`
    project_id as "projectId", replace(id::text, '-', '') as secret, issue_id as "issueId",
    created_by as "createdBy", created_at as "createdAt", expires_at as "expiresAt",
    with_source as "withSource"
  `;
}

function toShare({ secret, ...share }: RawShare): Share {
  return { ...share, id: `${share.projectId}-${secret}` };
}
