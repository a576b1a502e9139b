/** Whom rules and suspect commits suggest for issues. */
import type { Queryable, Transaction } from "../../store/database.ts";
import { type Columns, incoming } from "../../store/write_rows.ts";

export const OWNER_SOURCES = ["rule", "codeowners", "suspect"] as const;
export type OwnerSource = (typeof OWNER_SOURCES)[number];

export interface IssueOwner {
  readonly issueId: string;
  readonly kind: "user" | "team";
  /** A UUID of a person, a number of a team. */
  readonly id: string;
  readonly source: OwnerSource;
  /** The rule as it was, or the id of a commit. */
  readonly reason: string;
  readonly createdAt: Date;
}

/** The suggested owners of issues, the first first; issues without any are absent. */
export async function ownersOf(
  sql: Queryable,
  projectId: string,
  issueIds: readonly string[],
): Promise<Map<string, IssueOwner[]>> {
  const rows = await sql<IssueOwner[]>`
    select issue_id::text as "issueId", owner_kind as kind, owner_id as id, source, reason,
      created_at as "createdAt"
    from issue_owners
    where project_id = ${projectId} and issue_id = any (${[...issueIds]}::bigint[])
    order by issue_id, place
  `;
  return Map.groupBy(rows, ({ issueId }) => issueId);
}

/** A query for the ids of the issues that are suggested to one of these; to anybody, when they are not told. */
export function suggestedIssues(
  sql: Queryable,
  projectId: string,
  to: readonly Pick<IssueOwner, "kind" | "id">[] | null,
) {
  const idsOf = (wanted: string) =>
    (to ?? []).filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const isOf = (kind: string) =>
    sql`(owner_kind = ${kind} and owner_id = any (${idsOf(kind)}::text[]))`;
  return sql`
    select issue_id from issue_owners
    where project_id = ${projectId} ${
    to === null ? sql`` : sql`and (${isOf("user")} or ${isOf("team")})`
  }
  `;
}

export interface NewOwner extends Omit<IssueOwner, "issueId" | "createdAt"> {
  /** They learn of the issue in another way, or need not. */
  readonly isTold: boolean;
}

type Row = NewOwner & {
  readonly projectId: string;
  readonly issueId: string;
  readonly place: number;
};

const COLUMNS: Columns<Row> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  issue_id: ["bigint", ({ issueId }) => issueId],
  owner_kind: ["text", ({ kind }) => kind],
  owner_id: ["text", ({ id }) => id],
  place: ["smallint", ({ place }) => place],
  source: ["text", ({ source }) => source],
  reason: ["text", ({ reason }) => reason],
  is_told: ["boolean", ({ isTold }) => isTold],
};

/** Puts these owners in the place of those that an issue had, and notes when. Of an issue that is gone, nothing. */
export async function replaceOwners(
  tx: Transaction,
  projectId: string,
  issueId: string,
  owners: readonly NewOwner[],
  now: Date,
): Promise<void> {
  const rows = owners.map((owner, place): Row => ({ ...owner, projectId, issueId, place }));
  await tx`delete from issue_owners where project_id = ${projectId} and issue_id = ${issueId}`;
  if (rows.length > 0) {
    await tx`
      insert into issue_owners
        (project_id, issue_id, owner_kind, owner_id, place, source, reason, is_told, created_at)
      select project_id, issue_id, owner_kind, owner_id, place, source, reason, is_told, ${now}::timestamptz
      from ${incoming(tx, rows, COLUMNS)}
      where exists (
        select from issues where issues.project_id = ${projectId} and issues.id = ${issueId}
          and merged_into is null
      )
    `;
  }
  await tx`
    insert into issue_owner_checks (project_id, issue_id, checked_at)
    select project_id, id, ${now} from issues
    where project_id = ${projectId} and id = ${issueId} and merged_into is null
    on conflict (project_id, issue_id) do update set checked_at = excluded.checked_at
  `;
}

/** Owners of new issues who have not heard of them. */
export interface UntoldOwner extends IssueOwner {
  readonly projectId: string;
}

/** @param before when they were found */
export async function untoldOwners(
  sql: Queryable,
  before: Date,
  limit: number,
): Promise<UntoldOwner[]> {
  return await sql<UntoldOwner[]>`
    select project_id::text as "projectId", issue_id::text as "issueId", owner_kind as kind,
      owner_id as id, source, reason, created_at as "createdAt"
    from issue_owners where not is_told and created_at < ${before}
    order by created_at, project_id, issue_id, place limit ${limit}
  `;
}

/** Locks them. @returns false when another has told some since they were read */
export async function ownersAreUntold(
  tx: Queryable,
  projectId: string,
  owners: readonly UntoldOwner[],
): Promise<boolean> {
  const { count } = await tx`
    select from issue_owners
    where project_id = ${projectId} and not is_told and (issue_id, owner_kind, owner_id) in (
      select * from unnest(
        ${owners.map(({ issueId }) => issueId)}::bigint[],
        ${owners.map(({ kind }) => kind)}::text[],
        ${owners.map(({ id }) => id)}::text[]
      )
    )
    for update
  `;
  return count === owners.length;
}

export async function markOwnersTold(
  tx: Queryable,
  projectId: string,
  owners: readonly Pick<UntoldOwner, "issueId">[],
): Promise<void> {
  if (owners.length === 0) return;
  await tx`
    update issue_owners set is_told = true
    where project_id = ${projectId} and not is_told
      and issue_id = any (${owners.map(({ issueId }) => issueId)}::bigint[])
  `;
}
