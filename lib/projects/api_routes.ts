import { z } from "zod";
import { Denied, nameOfActor, scopesOfActor } from "../accounts/authorize.ts";
import {
  createKey,
  deleteKey,
  findKey,
  type IngestKey,
  KEY_TYPES,
  listKeys,
  updateKey,
} from "../accounts/keys.ts";
import {
  RETENTION_KINDS,
  settingsOf,
  updateProject,
  updateSettings,
} from "../accounts/projects.ts";
import { updateOrganization } from "../accounts/organizations.ts";
import { checkRetention } from "./retention.ts";
import { listVisibleProjects } from "../accounts/visibility.ts";
import { sentryScopes } from "../accounts/scopes.ts";
import {
  onOrganization,
  onProject,
  onVisibleOrganizations,
  onVisibleProjects,
  requireProject,
} from "../api/access.ts";
import {
  type ApiContext,
  ApiError,
  type ApiRoutes,
  behind,
  listReply,
  notFound,
  open,
  tagged,
} from "../api/route.ts";
import { deletedProjects, deleteProject, restoreProject } from "./deletion.ts";
import { userJson } from "../api/people.ts";
import { daysOfHours, ResolveAge } from "./resolve_age.ts";
import { memberRoutes } from "./api_members.ts";
import { teamRoutes } from "./api_teams.ts";
import {
  createProjectReply,
  keyJson,
  NewProject,
  organizationDetailJson,
  OrganizationJson,
  organizationJson,
  OwnOrganizationJson,
  OwnProjectJson,
  ownProjectsJson,
  ProjectJson,
  projectReply,
  projectsJson,
} from "./json.ts";

const time = z.iso.datetime();
const named = { id: z.string(), slug: z.string(), name: z.string() };

const DeletedProjectJson = z.object({
  ...named,
  dateDeleted: time,
  deletedBy: z.string(),
  restorableUntil: time,
  purgedRows: z.number().nullable(),
}).meta({ title: "Deleted project" });
const KeyJson = z.object({
  id: z.string(),
  name: z.string(),
  label: z.string(),
  public: z.string(),
  projectId: z.int(),
  isActive: z.boolean(),
  type: z.enum(KEY_TYPES),
  rateLimit: z.object({ window: z.int(), count: z.number() }).nullable(),
  dsn: z.object({
    public: z.string(),
    secret: z.string(),
    /** Address of the loader, of browser and site keys. */
    cdn: z.string().optional(),
  }),
  dateCreated: time,
}).meta({ title: "Key" });

const ProjectChanges = z.object({
  name: z.string().optional(),
  slug: z.string().optional(),
  platform: z.string().nullish(),
  resolveAge: ResolveAge.nullish().describe(
    "Hours after which issues that do not happen any more are resolved, rounded up to days; 0: never",
  ),
  dataRetention: z.partialRecord(z.enum(RETENTION_KINDS), z.int().min(1).nullable()).optional()
    .describe("Days, at most the instance's; null: as long as the instance's"),
});

const OrganizationChanges = z.object({
  name: z.string().optional(),
  scrubIPAddresses: z.boolean().optional().describe("True: no project stores IP addresses"),
});

const DEFAULT_NAME = "Default";

const NewKey = z.object({
  name: z.string().nullish(),
  /** Older clients of Sentry call the name so. */
  label: z.string().nullish(),
  type: z.enum(KEY_TYPES).default("server"),
});

const KeyChanges = z.object({
  name: z.string().optional(),
  isActive: z.boolean().optional(),
  /** Sentry's form: so many requests in so many seconds; null for no limit of its own. */
  rateLimit: z.object({ count: z.number().min(0), window: z.number().min(1) }).nullable()
    .optional(),
});

/** As Sentry's clients ask. */
const KeyQuery = z.object({ status: z.string().optional().describe("active or inactive") });

const onKey = behind(async (ctx, scope) => {
  const { project } = await requireProject(ctx, scope);
  const key = await findKey(ctx.state.services.kv, ctx.params.key ?? "");
  if (key?.projectId !== project.id) throw notFound();
  return key;
});

/** Of who asks. */
const apiRoutes: ApiRoutes = {
  "": {
    GET: open({
      summary: "The version of the API, and who asks",
      answer: z.object({
        version: z.string(),
        auth: z.object({ scopes: z.array(z.string()) }).nullable(),
        user: z.looseObject({ id: z.string(), email: z.string() }).nullable(),
      }),
    }, (ctx) => ({ version: VERSION, auth: auth(ctx), user: user(ctx) })),
  },
  "/auth": {
    GET: open({
      summary: "Who asks",
      errors: [401],
      answer: z.looseObject({ auth: z.object({ scopes: z.array(z.string()) }) }),
    }, (ctx) => {
      const scopes = auth(ctx);
      if (scopes === null) {
        throw new Denied(401, "Authentication credentials were not provided or are not valid.");
      }
      const account = user(ctx);
      return { ...account, user: account, auth: scopes };
    }),
  },
};

const organizationRoutes: ApiRoutes = {
  "/organizations": {
    GET: onVisibleOrganizations("organization:read", {
      summary: "All organizations that the token sees",
      answer: z.array(OrganizationJson),
    }, (ctx, accesses) => {
      const { baseUrl } = ctx.state.services.config;
      return listReply(
        ctx,
        accesses.map(({ organization }) => organizationJson(organization, baseUrl)),
      );
    }),
  },
  "/organizations/:organization": {
    GET: onOrganization("organization:read", {
      summary: "One organization",
      answer: OwnOrganizationJson,
    }, organizationDetailJson),
    PUT: onOrganization("organization:write", {
      summary: "Changes what the body names of an organization",
      body: OrganizationChanges,
      errors: [409],
      answer: OwnOrganizationJson,
    }, async (ctx, access, { body: { name, scrubIPAddresses } }) => {
      const organization = await updateOrganization(
        ctx.state.services.kv,
        access.organization.id,
        {
          ...(name === undefined ? {} : { name }),
          ...(scrubIPAddresses === undefined
            ? {}
            : { settings: { keepsAddresses: !scrubIPAddresses } }),
        },
      );
      if (organization === null) throw notFound();
      return organizationDetailJson(ctx, { ...access, organization });
    }),
  },
};

const ownRoutes: ApiRoutes = {
  "/organizations/:organization/deleted-projects": {
    GET: onOrganization("project:delete", {
      summary: "Deleted projects that can be restored",
      answer: z.array(DeletedProjectJson),
    }, async (ctx, { organization }) => {
      const deleted = await deletedProjects(ctx.state.services, organization.id);
      return listReply(
        ctx,
        deleted.map((
          { project: { id, slug, name }, deletedAt, deletedBy, purgeAt, purgedRows },
        ) => ({
          id,
          slug,
          name,
          dateDeleted: deletedAt,
          deletedBy,
          restorableUntil: purgeAt,
          purgedRows,
        })),
      );
    }),
  },
  "/organizations/:organization/deleted-projects/:deleted/restore": {
    POST: onOrganization("project:delete", {
      summary: "Restores a deleted project with its keys and all that was stored",
      answer: OwnProjectJson,
    }, async (ctx, access) => {
      const { services } = ctx.state;
      const { id } = access.organization;
      const project = await restoreProject(services, id, ctx.params.deleted ?? "");
      if (project === null) {
        throw ApiError.detail(404, "There is no deleted project of this id that can be restored.");
      }
      return await projectReply(ctx, access, project);
    }),
  },
  "/organizations/:organization/projects": {
    GET: onOrganization("project:read", {
      summary: "The projects of an organization",
      answer: z.array(ProjectJson),
    }, async (ctx, access) => {
      const { kv } = ctx.state.services;
      const projects = await listVisibleProjects(kv, access);
      return listReply(ctx, await projectsJson(kv, access, projects));
    }),
    POST: onOrganization("project:create", {
      summary: "Makes a project; 409 when its slug is taken",
      body: NewProject,
      answer: OwnProjectJson,
      status: 201,
      errors: [409],
    }, (ctx, access, { body }) => createProjectReply(ctx, access, body, null)),
  },
  "/projects": {
    GET: onVisibleProjects("project:read", {
      summary: "All projects that the token sees",
      answer: z.array(OwnProjectJson),
    }, async (ctx, accesses) => {
      const byOrganization = Map.groupBy(accesses, ({ organization }) => organization.id);
      const shown = await Promise.all(
        [...byOrganization.values()].map(([first, ...others]) =>
          first === undefined ? [] : ownProjectsJson(
            ctx,
            first,
            [first, ...others].map(({ project }) => project),
          )
        ),
      );
      return listReply(ctx, shown.flat());
    }),
  },
  "/projects/:organization/:project": {
    GET: onProject("project:read", {
      summary: "One project",
      answer: OwnProjectJson,
    }, (ctx, access) => projectReply(ctx, access, access.project)),
    PUT: onProject("project:write", {
      summary: "Changes what the body names of a project",
      body: ProjectChanges,
      errors: [409],
      answer: OwnProjectJson,
    }, async (ctx, access, { body: { name, slug, platform, resolveAge, dataRetention } }) => {
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(slug === undefined ? {} : { slug }),
        ...(platform === undefined ? {} : { platform: platform ?? "" }),
      };
      const { kv, config } = ctx.state.services;
      const { retention } = settingsOf(access.project);
      const settings = {
        ...(resolveAge === undefined ? {} : { resolveAfterDays: daysOfHours(resolveAge ?? 0) }),
        ...(dataRetention === undefined ? {} : {
          retention: checkRetention({ ...retention, ...dataRetention }, config.retentionDays),
        }),
      };
      const renamed = await updateProject(kv, access.project.id, changes);
      const project = Object.keys(settings).length === 0
        ? renamed
        : await updateSettings(kv, access.project.id, settings);
      return projectReply(ctx, access, project ?? access.project);
    }),
    DELETE: onProject("project:delete", {
      summary: "Deletes a project, which can be restored for seven days",
    }, async ({ state: { services, actor } }, { project }) => {
      await deleteProject(services, project, nameOfActor(actor));
    }),
  },
};

const keyRoutes: ApiRoutes = {
  "/projects/:organization/:project/keys": {
    GET: onProject("key:read", {
      summary: "The keys of a project",
      query: KeyQuery,
      answer: z.array(KeyJson),
    }, async (ctx, { project }, { query: { status } }) => {
      const { kv, config: { baseUrl } } = ctx.state.services;
      const keys = await listKeys(kv, project.id);
      const wanted = status === "active" || status === "inactive"
        ? keys.filter(({ isActive }) => isActive === (status === "active"))
        : keys;
      return listReply(ctx, wanted.map((key) => keyJson(key, baseUrl)));
    }),
    POST: onProject("key:write", {
      summary: "Makes a key",
      body: NewKey,
      answer: KeyJson,
      status: 201,
    }, async (ctx, { project }, { body: { name, label, type } }) => {
      const { kv } = ctx.state.services;
      const projectId = project.id;
      return keyReply(
        ctx,
        await createKey(kv, { projectId, name: name ?? label ?? DEFAULT_NAME, type }),
      );
    }),
  },
  "/projects/:organization/:project/keys/:key": {
    GET: onKey("key:read", { summary: "One key", answer: KeyJson }, keyReply),
    PUT: onKey("key:write", {
      summary: "Changes what the body names of a key",
      body: KeyChanges,
      answer: KeyJson,
    }, async (ctx, key, { body: { name, isActive, rateLimit } }) => {
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(isActive === undefined ? {} : { isActive }),
        ...(rateLimit === undefined ? {} : { ratePerSec: ratePerSecOf(rateLimit) }),
      };
      return keyReply(ctx, await updateKey(ctx.state.services.kv, key.publicKey, changes));
    }),
    DELETE: onKey("key:write", {
      summary: "Deletes a key: what it sends is refused at once",
    }, (ctx, { publicKey }) => deleteKey(ctx.state.services.kv, publicKey)),
  },
};

/** What the addresses below `/api/0` do that are about organizations, projects, keys, teams and people, by method. */
export const projectRoutes: ApiRoutes = {
  ...tagged("API", apiRoutes),
  ...tagged("Organizations", organizationRoutes),
  ...tagged("Projects", ownRoutes),
  ...tagged("Keys", keyRoutes),
  ...tagged("Teams", teamRoutes),
  ...tagged("Members", memberRoutes),
};

/** Version of Sentry's web API whose shapes we speak. */
const VERSION = "0";

function auth({ state: { actor } }: ApiContext): { scopes: string[] } | null {
  if (actor.kind === "nobody") return null;
  if (actor.kind === "organization") return { scopes: ["org:ci"] };
  return { scopes: sentryScopes(scopesOfActor(actor)) };
}

/** Null for nobody, and for tokens that belong to no person. */
function user({ state: { actor } }: ApiContext) {
  if (!("user" in actor)) return null;
  return userJson(actor.user);
}

function ratePerSecOf(rateLimit: { count: number; window: number } | null): number | null {
  if (rateLimit === null || rateLimit.count === 0) return null;
  return Math.max(1, Math.round(rateLimit.count / rateLimit.window));
}

function keyReply({ state }: ApiContext, key: IngestKey | null) {
  // Null when somebody deleted it a moment ago.
  if (key === null) throw notFound();
  return keyJson(key, state.services.config.baseUrl);
}
