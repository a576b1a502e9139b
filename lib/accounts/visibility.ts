/**
 * Which projects of an organization somebody sees, and as what. By default all members see all of them; an organization may
 * show its members and viewers only the projects of their teams, of which everybody's team is none. Team admins act as admins
 * on the projects of their teams.
 */
import type { Member } from "./members.ts";
import { type Organization, organizationSettingsOf } from "./organizations.ts";
import { listProjectIds, listProjects, type Project } from "./projects.ts";
import { type Role, roleAllows } from "./roles.ts";
import { listTeams, type Team, teamRoleOf, teamsOf } from "./teams.ts";

/** Who looks at an organization; what `authorize` answers fits. */
export interface Looker {
  readonly organization: Organization;
  /** As a member, whatever they are on one project. */
  readonly memberRole: Role;
  /** Null for who is no person: such tokens see all projects, as far as their scopes go. */
  readonly userId: string | null;
}

/** The projects that somebody sees, by slug. */
export async function listVisibleProjects(kv: Deno.Kv, looker: Looker): Promise<Project[]> {
  const [projects, ids] = await Promise.all([
    listProjects(kv, looker.organization.id),
    idsInSight(kv, looker),
  ]);
  return ids === null ? projects : projects.filter(({ id }) => ids.has(id));
}

/** Their ids. */
export async function listVisibleProjectIds(kv: Deno.Kv, looker: Looker): Promise<string[]> {
  const [projects, ids] = await Promise.all([
    listProjectIds(kv, looker.organization.id),
    idsInSight(kv, looker),
  ]);
  return ids === null ? projects : projects.filter((id) => ids.has(id));
}

/** What somebody is on a project: a team admin more than elsewhere. @returns null for who does not see it */
export async function roleOnProject(
  kv: Deno.Kv,
  looker: Looker,
  projectId: string,
): Promise<Role | null> {
  const { organization, memberRole: role, userId } = looker;
  if (userId === null || seesAll(role)) return role;
  // Nothing but sight is to be had by it for a viewer.
  if (role === "viewer" && !isRestricted(looker)) return role;
  const teams = teamsOfPerson(await listTeams(kv, organization), userId)
    .filter(({ projectIds }) => projectIds.includes(projectId));
  if (isRestricted(looker) && teams.length === 0) return null;
  return role === "member" && teams.some((team) => teamRoleOf(team, userId) === "admin")
    ? "admin"
    : role;
}

/** Whether somebody sees a project of the organization. */
export async function seesProject(
  kv: Deno.Kv,
  looker: Looker,
  projectId: string,
): Promise<boolean> {
  return !isRestricted(looker) || await roleOnProject(kv, looker, projectId) !== null;
}

/**
 * Those of some members who see a project.
 *
 * @param teams of the organization
 */
export function whoSees(
  organization: Organization,
  teams: readonly Team[],
  members: readonly Member[],
  projectId: string,
): Member[] {
  const having = teams.filter(({ projectIds }) => projectIds.includes(projectId));
  return members.filter(({ userId, role, user }) =>
    user.isInstanceAdmin || !isRestricted({ organization, memberRole: role, userId }) ||
    teamsOfPerson(having, userId).length > 0
  );
}

/** Those of an organization's teams that something of a project can be given to. */
export function teamsForProject(
  organization: Organization,
  teams: readonly Team[],
  projectId: string,
): readonly Team[] {
  return organizationSettingsOf(organization).showsOnlyTeamProjects
    ? teamsOf(teams, projectId)
    : teams;
}

/** Null: all. */
async function idsInSight(kv: Deno.Kv, looker: Looker): Promise<ReadonlySet<string> | null> {
  if (!isRestricted(looker)) return null;
  const teams = teamsOfPerson(await listTeams(kv, looker.organization), looker.userId ?? "");
  return new Set(teams.flatMap(({ projectIds }) => projectIds));
}

function isRestricted({ organization, memberRole, userId }: Looker): boolean {
  return userId !== null && !seesAll(memberRole) &&
    organizationSettingsOf(organization).showsOnlyTeamProjects;
}

/** Who makes projects must see which there are. */
function seesAll(role: Role): boolean {
  return roleAllows(role, "project:create");
}

/** Everybody's team shows nobody anything. */
function teamsOfPerson(teams: readonly Team[], userId: string): Team[] {
  return teams.filter(({ memberIds }) => memberIds.includes(userId));
}
