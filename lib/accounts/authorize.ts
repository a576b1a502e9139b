import type { Config } from "../core/config.ts";
import { type ApiToken, readApiToken } from "./api_tokens.ts";
import { Denied } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { type Asker, currentScope, workOn } from "../core/request_scope.ts";
import {
  effectiveRole,
  type InstancePermission,
  type Permission,
  PERMISSIONS,
  type Role,
  roleAllows,
  scopesAllow,
} from "./members.ts";
import {
  CI_PERMISSIONS,
  type OrganizationToken,
  readOrganizationToken,
} from "./organization_tokens.ts";
import {
  findOrganization,
  findOrganizationBySlug,
  listAllOrganizations,
  listOrganizationsOf,
  type Organization,
} from "./organizations.ts";
import { findProject, findProjectBySlug, type Project } from "./projects.ts";
import { missingProvider, requireProviderOf } from "./providers/organization_rule.ts";
import { roleLabel } from "./roles.ts";
import { lacksSecondFactor, requireSecondFactor } from "./second_factor_rule.ts";
import { sameSecret } from "./secrets.ts";
import { findTeam, type Team, type TeamRole, teamRoleOf } from "./teams.ts";
import type { TokenProblem } from "./token_limits.ts";
import { findUser, type User } from "./users.ts";
import { listVisibleProjects, type Looker, roleOnProject } from "./visibility.ts";

export { Denied } from "../core/errors.ts";

/** Who asks. `bootstrap` is the holder of `SERVICE_ADMIN_TOKEN`. */
export type Actor =
  | { readonly kind: "nobody" }
  | {
    readonly kind: "user";
    readonly user: User;
    /** A second factor was shown, or what counts as one. */
    readonly isStrong?: boolean;
    /** Of single sign-on: the provider that the session began by. */
    readonly provider?: string;
  }
  | { readonly kind: "token"; readonly token: ApiToken; readonly user: User }
  /** A build server of an organization, which no person stands behind. */
  | { readonly kind: "organization"; readonly token: OrganizationToken }
  | { readonly kind: "bootstrap" };

/** An actor as people know them, for what has to say who did it. */
export function nameOfActor(actor: Actor): string {
  switch (actor.kind) {
    case "user":
      return actor.user.email;
    case "token":
      return `${actor.user.email} (API token ${actor.token.name})`;
    case "organization":
      return `organization token ${actor.token.name}`;
    case "bootstrap":
      return "SERVICE_ADMIN_TOKEN";
    case "nobody":
      return "nobody";
  }
}

/** An actor as the audit log keeps it. */
export function askerOf(actor: Actor): Pick<Asker, "kind" | "id" | "label"> {
  const label = nameOfActor(actor);
  switch (actor.kind) {
    case "organization":
      return { kind: "organization_token", id: actor.token.id, label };
    case "bootstrap":
      return { kind: "instance", id: null, label };
    case "nobody":
      return { kind: "nobody", id: null, label };
    default:
      return { kind: actor.kind, id: actor.user.id, label };
  }
}

/** Tells the audit log, and whoever writes for this request, who asks. */
export function identified(actor: Actor): Actor {
  const scope = currentScope();
  scope.asker = { ...scope.asker, ...askerOf(actor) };
  return actor;
}

/** The e-mail address that a change is signed with; `""` for who is no person. */
export function emailOf(actor: Actor): string {
  return "user" in actor ? actor.user.email : "";
}

type ProjectTarget =
  | { readonly projectId: string }
  /** As in Sentry's API: either may be the slug or the id. */
  | { readonly organizationSlug: string; readonly projectSlug: string };

interface TeamTarget {
  readonly organizationSlug: string;
  /** The slug or the id. */
  readonly team: string;
}

type OrganizationTarget =
  | { readonly organizationId: string }
  /** The slug or the id. */
  | { readonly organizationSlug: string };

/** What the actor may work on, and as what. */
export interface OrganizationAccess {
  readonly organization: Organization;
  readonly role: Role;
  /** As a member; `role` may be more on one project. */
  readonly memberRole: Role;
  /** Null for the bootstrap token and for tokens of organizations. */
  readonly userId: string | null;
}

/** The role is that on this project, where team admins are more than elsewhere. */
export interface ProjectAccess extends OrganizationAccess {
  readonly project: Project;
}

export interface TeamAccess extends OrganizationAccess {
  readonly team: Team;
  /** What the actor is in the team, or null for who is not in it. */
  readonly teamRole: TeamRole | null;
}

/** Access to an organization, or to a project or team in it. */
type Access = OrganizationAccess & { readonly project?: Project; readonly team?: Team };

/**
 * Who stands behind an `Authorization: Bearer` value.
 *
 * @param bearer the value after `Bearer`, or null when the request has none
 * @throws {Denied} 401 for a token that is not taken
 */
export async function actorOfBearer(
  kv: Deno.Kv,
  config: Pick<Config, "adminToken">,
  bearer: string | null,
): Promise<Actor> {
  if (bearer === null || bearer === "") return { kind: "nobody" };
  if (config.adminToken !== null && sameSecret(bearer, config.adminToken)) {
    return { kind: "bootstrap" };
  }
  const use = { now: Date.now(), address: currentScope().asker.address };
  const ofOrganization = await readOrganizationToken(kv, bearer, use);
  if (ofOrganization.ok) return { kind: "organization", token: ofOrganization.token };
  const found = await readApiToken(kv, bearer, use);
  if (!found.ok) {
    const problems = [ofOrganization.problem, found.problem];
    throw refusedToken(problems.find((problem) => problem !== "unknown") ?? "unknown");
  }
  const user = await findUser(kv, found.token.userId);
  if (user === null || user.disabledAt !== undefined) {
    throw new Denied(401, "User inactive or deleted");
  }
  return { kind: "token", token: found.token, user };
}

/** In Sentry's words, which its clients know. */
function refusedToken(problem: TokenProblem): Denied {
  if (problem === "expired") return new Denied(401, "Token expired");
  if (problem === "unknown") return new Denied(401, "Invalid token");
  return new Denied(401, "This token may not be used from this address");
}

let hearAsked: ((permission: Permission | InstancePermission) => void) | null = null;

/**
 * Has `listener` told of every permission that is asked for in this process; null ends it. The table of rights is made so,
 * from what the pages really ask.
 */
export function onPermissionAsked(listener: typeof hearAsked): void {
  hearAsked = listener;
}

/** To be called by gates that decide by themselves. */
export function permissionAsked(permission: Permission | InstancePermission): void {
  hearAsked?.(permission);
}

/**
 * The one gate of every page and API route. Reads everything anew and consistently, so that a changed
 * role holds from the next request on.
 *
 * @throws {Denied} 401 for nobody, 404 for strangers and for what does not exist, 403 for members
 *   whose role, and tokens whose scopes, do not include the permission
 */
export async function authorize(
  kv: Deno.Kv,
  actor: Actor,
  target: ProjectTarget,
  permission: Permission,
): Promise<ProjectAccess>;
export async function authorize(
  kv: Deno.Kv,
  actor: Actor,
  target: TeamTarget,
  permission: TeamPermission,
): Promise<TeamAccess>;
export async function authorize(
  kv: Deno.Kv,
  actor: Actor,
  target: OrganizationTarget,
  permission: Permission,
): Promise<OrganizationAccess>;
export async function authorize(
  kv: Deno.Kv,
  actor: Actor,
  target: { readonly instance: true },
  permission: InstancePermission,
): Promise<void>;
export async function authorize(
  kv: Deno.Kv,
  actor: Actor,
  target: ProjectTarget | OrganizationTarget | TeamTarget | { readonly instance: true },
  permission: Permission | InstancePermission,
): Promise<Access | void> {
  permissionAsked(permission);
  if (actor.kind === "nobody") {
    throw new Denied(401, t("Authentication credentials were not provided or are not valid."));
  }
  if (permission === "instance:admin" || "instance" in target) return requireInstanceAdmin(actor);
  const found = await findTarget(kv, target);
  const userId = "user" in actor ? actor.user.id : null;
  const memberRole = found && await roleIn(kv, actor, found.organization.id);
  const role = found && memberRole && await roleOnTarget(kv, { ...found, memberRole, userId });
  if (found === null || memberRole === null || role === null) throw new Denied(404, notFoundText());
  await requireSecondFactor(kv, actor, found.organization);
  await requireProviderOf(kv, actor, found.organization);
  const teamRole = found.team && userId ? teamRoleOf(found.team, userId) : null;
  if (!roleAllows(role, permission) && !teamAllows(role, teamRole, permission)) {
    throw new Denied(
      403,
      t("Your role in this organization ({role}) does not allow this.", { role: roleLabel(role) }),
    );
  }
  if (!scopesAllow(scopesOfActor(actor), permission)) {
    throw new Denied(403, t("This token lacks the scope {scope}.", { scope: permission }));
  }
  workOn(found.organization.id);
  return { ...found, role, memberRole, userId, ...found.team && { teamRole } };
}

/** The same words for what is not there and for what is not shown. */
function notFoundText(): string {
  return t("The requested resource does not exist.");
}

/** What is asked of teams: reading, changing the team itself and its people, and making projects for it. */
export type TeamPermission = Extract<
  Permission,
  "organization:read" | "project:read" | "team:write" | "project:create"
>;

/** What team admins may do to their team beside what their role allows; on its projects they act as admins. */
export const TEAM_ADMIN_PERMISSIONS = ["team:write", "project:create"] as const;

/** Team admins decide about their own team; viewers never change anything. */
export function teamAllows(
  role: Role,
  teamRole: TeamRole | null,
  permission: Permission,
): boolean {
  return teamRole === "admin" && role !== "viewer" &&
    TEAM_ADMIN_PERMISSIONS.some((each) => each === permission);
}

/** Null for projects that are not shown to the actor. */
async function roleOnTarget(kv: Deno.Kv, target: Target & Looker): Promise<Role | null> {
  const { project, memberRole } = target;
  return project === undefined ? memberRole : await roleOnProject(kv, target, project.id);
}

/** What an actor may do as far as their role goes: all, unless a token says otherwise. */
export function scopesOfActor(actor: Actor): readonly Permission[] {
  if (actor.kind === "token") return actor.token.scopes;
  if (actor.kind === "organization") return CI_PERMISSIONS;
  return actor.kind === "nobody" ? [] : PERMISSIONS;
}

/** The organizations that the actor sees, by name. */
export async function listVisibleOrganizations(
  kv: Deno.Kv,
  actor: Actor,
): Promise<Organization[]> {
  if (actor.kind === "nobody") return [];
  if (actor.kind === "bootstrap") return await listAllOrganizations(kv);
  if (actor.kind === "user") {
    return actor.user.isInstanceAdmin
      ? await listAllOrganizations(kv)
      : await listOrganizationsOf(kv, actor.user.id);
  }
  const organization = await findOrganization(kv, actor.token.organizationId);
  const role = organization === null ? null : await roleIn(kv, actor, organization.id);
  return organization === null || role === null ? [] : [organization];
}

/** The projects of an organization that the actor sees, by slug; of one that they do not see, none. */
export async function listProjectsSeenBy(
  kv: Deno.Kv,
  actor: Actor,
  organization: Organization,
): Promise<Project[]> {
  const memberRole = await roleIn(kv, actor, organization.id);
  if (memberRole === null) return [];
  const userId = "user" in actor ? actor.user.id : null;
  if (await lacksSecondFactor(kv, actor, organization)) return [];
  if (await missingProvider(kv, actor, organization) !== null) return [];
  return await listVisibleProjects(kv, { organization, memberRole, userId });
}

/** API tokens are bound to one organization, so none of them runs the instance. */
function requireInstanceAdmin(actor: Actor): void {
  if (actor.kind === "bootstrap") return;
  if (actor.kind === "user" && actor.user.isInstanceAdmin) return;
  throw new Denied(403, t("Only administrators of this instance can do this."));
}

interface Target {
  readonly organization: Organization;
  readonly project?: Project;
  readonly team?: Team;
}

async function findTarget(
  kv: Deno.Kv,
  target: ProjectTarget | OrganizationTarget | TeamTarget,
): Promise<Target | null> {
  if ("projectId" in target) {
    const project = await findProject(kv, target.projectId);
    const organization = project && await findOrganization(kv, project.organizationId);
    return project && organization && { organization, project };
  }
  const organization = "organizationId" in target
    ? await findOrganization(kv, target.organizationId)
    : await findOrganizationBySlug(kv, target.organizationSlug) ??
      await findOrganization(kv, target.organizationSlug);
  if (organization === null) return null;
  if ("team" in target) {
    const team = await findTeam(kv, organization, target.team);
    return team && { organization, team };
  }
  if (!("projectSlug" in target)) return { organization };
  const project = await findProjectBySlug(kv, organization.id, target.projectSlug) ??
    await findProject(kv, target.projectSlug);
  return project?.organizationId === organization.id ? { organization, project } : null;
}

async function roleIn(kv: Deno.Kv, actor: Actor, organizationId: string): Promise<Role | null> {
  if (actor.kind === "nobody") return null;
  if (actor.kind === "bootstrap") return "owner";
  if ("token" in actor && actor.token.organizationId !== organizationId) return null;
  // As far as its scopes go, which no change of anybody's role takes from a build server.
  if (actor.kind === "organization") return "member";
  return await effectiveRole(kv, organizationId, actor.user);
}

/** The part of a page's context that tells who asks, and for what. */
interface Asking {
  readonly state: { readonly services: { readonly kv: Deno.Kv }; readonly actor: Actor };
  readonly params: Record<string, string>;
}

/**
 * Lets a request for a page of `[project]` pass when its actor holds `permission` there.
 *
 * @throws {Denied} 401 for nobody, 404 for strangers, 403 for members without the permission; the root
 *   middleware turns it into the sign-in page or an error page
 */
export function requireProject(
  { state, params }: Asking,
  permission: Permission,
): Promise<ProjectAccess> {
  const projectId = params.project ?? "";
  return authorize(state.services.kv, state.actor, { projectId }, permission);
}

/** The same for pages of `[organization]`, named by its slug. */
export function requireOrganization(
  { state, params }: Asking,
  permission: Permission,
): Promise<OrganizationAccess> {
  const organizationSlug = params.organization ?? "";
  return authorize(state.services.kv, state.actor, { organizationSlug }, permission);
}

/** The same for pages of a `[team]` of `[organization]`, where its admins may more than other members. */
export function requireTeam(
  { state, params }: Asking,
  permission: TeamPermission,
): Promise<TeamAccess> {
  const target = { organizationSlug: params.organization ?? "", team: params.team ?? "" };
  return authorize(state.services.kv, state.actor, target, permission);
}

/**
 * The person who is signed in, for pages that belong to no project and no organization.
 *
 * @throws {Denied} 401 for everybody else
 */
export function requireUser({ actor }: { readonly actor: Actor }): User {
  if (actor.kind !== "user") throw new Denied(401, t("Sign in first."));
  return actor.user;
}
