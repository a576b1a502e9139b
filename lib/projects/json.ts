import { z } from "zod";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import { dsn, type IngestKey } from "../accounts/keys.ts";
import { listMembers, ROLES } from "../accounts/members.ts";
import { type Organization, organizationSettingsOf } from "../accounts/organizations.ts";
import { sentryScopesOf } from "../accounts/scopes.ts";
import { createProject, type Project, RETENTION_KINDS, settingsOf } from "../accounts/projects.ts";
import { addTeamProject, listTeams, type Team, teamsOf } from "../accounts/teams.ts";
import { TeamJson, teamJson } from "../api/people.ts";
import type { ApiContext } from "../api/route.ts";
import { hoursOfDays } from "./resolve_age.ts";
import { loaderUrl } from "../sites/mod.ts";

const time = z.iso.datetime();
const named = { id: z.string(), slug: z.string(), name: z.string() };

/** In the shapes of Sentry's, of which these are the most useful properties. */
export const OrganizationJson = z.looseObject({
  ...named,
  dateCreated: time,
  links: z.object({ organizationUrl: z.string(), regionUrl: z.string() }),
}).meta({ title: "Organization" });
export const OwnOrganizationJson = OrganizationJson.extend({
  role: z.enum(ROLES),
  access: z.array(z.string()),
  teams: z.array(TeamJson),
}).meta({ title: "Organization details" });
export const ProjectJson = z.looseObject({
  ...named,
  platform: z.string(),
  dateCreated: time,
  firstEvent: time.nullable(),
  access: z.array(z.string()),
  team: TeamJson,
  teams: z.array(TeamJson),
}).meta({ title: "Project" });
export const OwnProjectJson = ProjectJson.extend({
  organization: OrganizationJson,
  resolveAge: z.int().describe(
    "Hours after which issues that do not happen any more are resolved; 0: never",
  ),
  dataRetention: z.partialRecord(z.enum(RETENTION_KINDS), z.int()).describe(
    "Days for which kinds of data are kept; others for as long as the instance keeps anything",
  ),
}).meta({
  title: "Project details",
});

/**
 * A project as Sentry's API lists it within its organization.
 *
 * @param teams those that have it
 * @param memberCount of the organization
 */
export function projectJson(
  project: Project,
  access: Pick<OrganizationAccess, "role" | "memberRole" | "userId">,
  teams: readonly Team[],
  memberCount: number,
) {
  const shown = teams.map((team) => teamJson(team, access, memberCount));
  return {
    id: project.id,
    slug: project.slug,
    name: project.name,
    platform: project.platform,
    dateCreated: project.createdAt,
    firstEvent: project.firstEventAt,
    firstTransactionEvent: false,
    status: "active",
    isBookmarked: false,
    isMember: true,
    isPublic: false,
    isInternal: false,
    hasAccess: true,
    access: sentryScopesOf(access.role),
    features: [],
    // The one it was made for, if there is another than everybody's.
    team: shown[1] ?? shown[0],
    teams: shown,
  };
}

/** Projects of one organization, each with its teams. */
export async function projectsJson(
  kv: Deno.Kv,
  access: OrganizationAccess,
  projects: readonly Project[],
) {
  const { organization } = access;
  const [teams, members] = await Promise.all([
    listTeams(kv, organization),
    listMembers(kv, organization.id),
  ]);
  return projects.map((project) =>
    projectJson(project, access, teamsOf(teams, project.id), members.length)
  );
}

/** Projects outside of their organization's list, with it. */
export async function ownProjectsJson(
  { state: { services: { kv, config } } }: ApiContext,
  access: OrganizationAccess,
  projects: readonly Project[],
) {
  const organization = organizationJson(access.organization, config.baseUrl);
  return (await projectsJson(kv, access, projects)).map((shown, index) => ({
    ...shown,
    organization,
    resolveAge: hoursOfDays(settingsOf(projects[index] ?? {}).resolveAfterDays),
    dataRetention: { ...settingsOf(projects[index] ?? {}).retention },
  }));
}

/** One such project. */
export async function projectReply(ctx: ApiContext, access: OrganizationAccess, project: Project) {
  const [shown] = await ownProjectsJson(ctx, access, [project]);
  return shown;
}

const LETTER_AVATAR = { avatarType: "letter_avatar", avatarUuid: null, avatarUrl: null };

/** An organization as Sentry's API lists it. */
export function organizationJson(
  { id, slug, name, createdAt, settings = {} }: Organization,
  baseUrl: string,
) {
  return {
    id,
    slug,
    name,
    dateCreated: createdAt,
    status: { id: "active", name: "active" },
    isEarlyAdopter: false,
    require2FA: false,
    requireEmailVerification: false,
    hasAuthProvider: false,
    avatar: LETTER_AVATAR,
    features: [],
    scrubIPAddresses: !organizationSettingsOf({ settings }).keepsAddresses,
    // Sentry's MCP server refuses a region without TLS, and goes on where there is none.
    links: { organizationUrl: baseUrl, regionUrl: baseUrl.startsWith("https:") ? baseUrl : "" },
  };
}

/** What an organization's own address says about it beside what lists show. */
export async function organizationDetailJson(
  { state: { services: { kv, config } } }: ApiContext,
  access: OrganizationAccess,
) {
  const { organization, role } = access;
  const [teams, members] = await Promise.all([
    listTeams(kv, organization),
    listMembers(kv, organization.id),
  ]);
  return {
    ...organizationJson(organization, config.baseUrl),
    role,
    orgRole: role,
    access: sentryScopesOf(role),
    teams: teams.map((team) => teamJson(team, access, members.length)),
  };
}

/** An ingest key as Sentry's API shows it, and its type, which Sentry has not. */
export function keyJson(key: IngestKey, baseUrl: string) {
  const address = dsn(baseUrl, key);
  return {
    // Sentry names a key by its public half.
    id: key.publicKey,
    name: key.name,
    label: key.name,
    public: key.publicKey,
    projectId: Number(key.projectId),
    isActive: key.isActive,
    type: key.type,
    rateLimit: key.ratePerSec ? { window: 1, count: key.ratePerSec } : null,
    // The second half of a key has no meaning any more; clients that ask for it get what works.
    dsn: {
      public: address,
      secret: address,
      // Of a server key there is no loader: it must not stand in a page.
      ...(key.type !== "server" && { cdn: loaderUrl(baseUrl, key.publicKey) }),
    },
    dateCreated: key.createdAt,
  };
}

export const NewProject = z.object({
  name: z.string(),
  slug: z.string().nullish(),
  platform: z.string().nullish(),
});

/**
 * Makes a project in an organization.
 *
 * @param team whose it is beside everybody's; null for none
 * @throws {InvalidInput} "taken" when its slug is
 */
export async function createProjectReply(
  ctx: ApiContext,
  access: OrganizationAccess,
  { name, slug, platform }: z.output<typeof NewProject>,
  team: Team | null,
) {
  const { kv } = ctx.state.services;
  const project = await createProject(kv, {
    organizationId: access.organization.id,
    name,
    platform: platform ?? "",
    ...(slug ? { slug } : {}),
  });
  if (team !== null) await addTeamProject(kv, team, project.id);
  return await projectReply(ctx, access, project);
}
