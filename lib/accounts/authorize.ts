import type { Config } from "../core/config.ts";
import { type ApiToken, readApiToken } from "./api_tokens.ts";
import { Denied } from "../core/errors.ts";
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
import { sameSecret } from "./secrets.ts";
import type { TokenProblem } from "./token_limits.ts";
import { findUser, type User } from "./users.ts";

export { Denied } from "../core/errors.ts";

/** Who asks. `bootstrap` is the holder of `SERVICE_ADMIN_TOKEN`. */
export type Actor =
  | { readonly kind: "nobody" }
  | {
    readonly kind: "user";
    readonly user: User;
    /** A second factor was shown, or what counts as one. */
    readonly isStrong?: boolean;
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

type OrganizationTarget =
  | { readonly organizationId: string }
  /** The slug or the id. */
  | { readonly organizationSlug: string };

/** What the actor may work on, and as what. */
export interface OrganizationAccess {
  readonly organization: Organization;
  readonly role: Role;
  /** Null for the bootstrap token and for tokens of organizations. */
  readonly userId: string | null;
}

export interface ProjectAccess extends OrganizationAccess {
  readonly project: Project;
}

/** Access to an organization, or to a project in it. */
type Access = OrganizationAccess & { readonly project?: Project };

/** The same words for what is not there and for what is not shown. */
const NOT_FOUND = "The requested resource does not exist.";

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
  if (user === null) throw new Denied(401, "User inactive or deleted");
  return { kind: "token", token: found.token, user };
}

/** In Sentry's words, which its clients know. */
function refusedToken(problem: TokenProblem): Denied {
  if (problem === "expired") return new Denied(401, "Token expired");
  if (problem === "unknown") return new Denied(401, "Invalid token");
  return new Denied(401, "This token may not be used from this address");
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
  target: ProjectTarget | OrganizationTarget | { readonly instance: true },
  permission: Permission | InstancePermission,
): Promise<Access | void> {
  if (actor.kind === "nobody") {
    throw new Denied(401, "Authentication credentials were not provided or are not valid.");
  }
  if (permission === "instance:admin" || "instance" in target) return requireInstanceAdmin(actor);
  const found = await findTarget(kv, target);
  const role = found === null ? null : await roleIn(kv, actor, found.organization.id);
  if (found === null || role === null) throw new Denied(404, NOT_FOUND);
  if (!roleAllows(role, permission)) {
    throw new Denied(403, `Your role in this organization (${role}) does not allow this.`);
  }
  if (!scopesAllow(scopesOfActor(actor), permission)) {
    throw new Denied(403, `This token lacks the scope ${permission}.`);
  }
  workOn(found.organization.id);
  return { ...found, role, userId: "user" in actor ? actor.user.id : null };
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

/** API tokens are bound to one organization, so none of them runs the instance. */
function requireInstanceAdmin(actor: Actor): void {
  if (actor.kind === "bootstrap") return;
  if (actor.kind === "user" && actor.user.isInstanceAdmin) return;
  throw new Denied(403, "Only administrators of this instance can do this.");
}

async function findTarget(
  kv: Deno.Kv,
  target: ProjectTarget | OrganizationTarget,
): Promise<{ organization: Organization; project?: Project } | null> {
  if ("projectId" in target) {
    const project = await findProject(kv, target.projectId);
    const organization = project && await findOrganization(kv, project.organizationId);
    return project && organization && { organization, project };
  }
  const organization = "organizationId" in target
    ? await findOrganization(kv, target.organizationId)
    : await findOrganizationBySlug(kv, target.organizationSlug) ??
      await findOrganization(kv, target.organizationSlug);
  if (organization === null || !("projectSlug" in target)) return organization && { organization };
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

/**
 * The person who is signed in, for pages that belong to no project and no organization.
 *
 * @throws {Denied} 401 for everybody else
 */
export function requireUser({ actor }: { readonly actor: Actor }): User {
  if (actor.kind !== "user") throw new Denied(401, "Sign in first.");
  return actor.user;
}
