/** Whom an alert about an issue reaches: its owners, whoever has it, or else whom the alert falls back on. */
import { seeingOf } from "../../accounts/assignees.ts";
import { listMembers } from "../../accounts/members.ts";
import { findOrganization } from "../../accounts/organizations.ts";
import { findProject } from "../../accounts/projects.ts";
import { findTeam } from "../../accounts/teams.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { ownersOf } from "./issue_owners.ts";

/** Who hears of an issue that nobody owns, in Sentry's words. */
export const FALLTHROUGHS = ["AllMembers", "ActiveMembers", "NoOne"] as const;
export type Fallthrough = (typeof FALLTHROUGHS)[number];

/** Who has looked at an issue of the project within so long is active. */
const ACTIVE_MS = 30 * DAY_MS;

/**
 * Mail addresses of the people who own an issue, or are assigned to it, teams by their members; each once.
 *
 * @param issueId null: what the alert is about is no issue, so nobody owns it
 */
export async function whoHears(
  stores: { readonly kv: Deno.Kv; readonly sql: Sql },
  projectId: string,
  issueId: string | null,
  fallthrough: Fallthrough,
  now: Date = new Date(),
): Promise<string[]> {
  const { kv, sql } = stores;
  const project = await findProject(kv, projectId);
  const organization = project && await findOrganization(kv, project.organizationId);
  if (organization === null) return [];
  const members = await seeingOf(
    kv,
    organization.id,
    projectId,
    await listMembers(kv, organization.id),
  );
  const named = issueId === null ? [] : await ownersAndAssignee(sql, projectId, issueId);
  const ids = new Set<string>();
  for (const { kind, id } of named) {
    if (kind === "user") ids.add(id);
    // Everybody's team is nobody in particular.
    else {for (const member of (await findTeam(kv, organization, id))?.memberIds ?? []) {
        ids.add(member);
      }}
  }
  const owning = members.filter(({ user }) => ids.has(user.id));
  if (owning.length > 0) return owning.map(({ user }) => user.email);
  if (fallthrough === "NoOne") return [];
  const active = fallthrough === "ActiveMembers"
    ? await activeIn(sql, projectId, new Date(now.getTime() - ACTIVE_MS))
    : null;
  return members.filter(({ user }) => active === null || active.has(user.id))
    .map(({ user }) => user.email);
}

/** Whether the rules of a project have not yet been asked about an issue: they are within seconds. */
export async function isUndecided(
  sql: Sql,
  projectId: string,
  issueId: string,
): Promise<boolean> {
  const [row] = await sql<{ isUndecided: boolean }[]>`
    select (
      exists (select from ownership_rules where project_id = ${projectId} and raw <> '')
      or exists (select from codeowners where project_id = ${projectId})
    ) and not exists (
      select from issue_owner_checks where project_id = ${projectId} and issue_id = ${issueId}
    ) as "isUndecided"
  `;
  return row?.isUndecided ?? false;
}

interface Named {
  readonly kind: "user" | "team";
  readonly id: string;
}

async function ownersAndAssignee(sql: Sql, projectId: string, issueId: string): Promise<Named[]> {
  const [owners, assignees] = await Promise.all([
    ownersOf(sql, projectId, [issueId]),
    sql<Named[]>`
      select assignee_kind as kind, assignee_id as id from issues
      where project_id = ${projectId} and id = ${issueId} and assignee_id is not null
        and merged_into is null
    `,
  ]);
  return [...owners.get(issueId) ?? [], ...assignees];
}

async function activeIn(sql: Sql, projectId: string, since: Date): Promise<ReadonlySet<string>> {
  const rows = await sql<{ userId: string }[]>`
    select distinct user_id as "userId" from issue_people
    where project_id = ${projectId} and seen_at >= ${since}
  `;
  return new Set(rows.map(({ userId }) => userId));
}
