/** Whom an issue can be assigned to: the members of an organization who see its project, and the organization's teams. */
import { findMember, listMembers, type Member } from "./members.ts";
import { findOrganization } from "./organizations.ts";
import { findTeam, listTeams, type Team } from "./teams.ts";
import { findUser, findUserByEmail, type User } from "./users.ts";
import { teamsForProject, whoSees } from "./visibility.ts";

/** A member or a team, and how people call them. */
export type Assignee =
  | {
    readonly kind: "user";
    readonly id: string;
    readonly name: string;
    readonly email: string;
  }
  | {
    readonly kind: "team";
    readonly id: string;
    readonly name: string;
    readonly slug: string;
  };

/**
 * Finds whom a text names.
 *
 * @param projectId whose issues it is about: who does not see it is nobody; null for no project in particular
 * @param text `user:<id>`, `team:<id>`, `#<slug of a team>` or the mail address of a member, which is their user name
 *   as well; also the bare id of a member
 * @returns null for strangers and former members, teams that are gone, and what names nobody
 */
export async function resolveAssignee(
  kv: Deno.Kv,
  organizationId: string,
  projectId: string | null,
  text: string,
): Promise<Assignee | null> {
  const name = text.trim();
  const [, kind, id = ""] = /^(user|team):(.*)$/s.exec(name) ?? [];
  if (kind === "team") return await teamOf(kv, organizationId, projectId, id);
  if (name.startsWith("#")) return await teamOf(kv, organizationId, projectId, name.slice(1));
  const asked = kind === "user" ? id : name;
  const user = await findUserByEmail(kv, asked) ?? await findUser(kv, asked);
  if (user === null) return null;
  const member = await findMember(kv, organizationId, user.id);
  const [seeing] = member === null ? [] : await seeingOf(kv, organizationId, projectId, [member]);
  return seeing === undefined ? null : assigneeOf(user);
}

/** Everybody and every team that can be chosen for issues of a project: people by email, then teams. */
export async function listAssignees(
  kv: Deno.Kv,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<Assignee[]> {
  const organization = await findOrganization(kv, organizationId);
  if (organization === null) return [];
  const [members, teams] = await Promise.all([
    listMembers(kv, organizationId),
    listTeams(kv, organization),
  ]);
  return [
    ...whoSees(organization, teams, members, id).map(({ user }) => assigneeOf(user)),
    ...teamsForProject(organization, teams, id).map(teamAssignee),
  ];
}

/**
 * The members who see a project: whom it may be told about.
 *
 * @param projectId null for no project in particular, which all see
 */
export async function seeingOf(
  kv: Deno.Kv,
  organizationId: string,
  projectId: string | null,
  members: readonly Member[],
): Promise<Member[]> {
  if (projectId === null) return [...members];
  const organization = await findOrganization(kv, organizationId);
  if (organization === null) return [];
  return whoSees(organization, await listTeams(kv, organization), members, projectId);
}

function assigneeOf({ id, name, email }: User): Assignee {
  return { kind: "user", id, name, email };
}

async function teamOf(
  kv: Deno.Kv,
  organizationId: string,
  projectId: string | null,
  idOrSlug: string,
): Promise<Assignee | null> {
  const organization = await findOrganization(kv, organizationId);
  const team = organization && await findTeam(kv, organization, idOrSlug);
  if (organization === null || team === null) return null;
  const meant = projectId === null ? [team] : teamsForProject(organization, [team], projectId);
  return meant.length === 0 ? null : teamAssignee(team);
}

function teamAssignee({ id, name, slug }: Team): Assignee {
  return { kind: "team", id, name, slug };
}
