import { z } from "zod";
import { nameOfActor, type ProjectAccess } from "../accounts/authorize.ts";
import {
  createKey,
  deleteKey,
  findKey,
  type IngestKey,
  KEY_TYPES,
  listKeys,
  updateKey,
} from "../accounts/keys.ts";
import { PERMISSIONS, ROLES } from "../accounts/members.ts";
import { listProjects, type Project, updateProject } from "../accounts/projects.ts";
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
  type ApiMethod,
  type ApiRoutes,
  behind,
  listReply,
  notFound,
  open,
} from "../api/route.ts";
import { deletedProjects, deleteProject, restoreProject } from "./deletion.ts";
import {
  createProjectReply,
  keyJson,
  NewProject,
  organizationDetailJson,
  organizationJson,
  projectDetailJson,
  projectJson,
  sentryScopes,
} from "./json.ts";

const time = z.iso.datetime();
const named = { id: z.string(), slug: z.string(), name: z.string() };

/** In the shapes of Sentry's, of which these are the most useful properties. */
const OrganizationJson = z.looseObject({ ...named, dateCreated: time });
const OwnOrganizationJson = OrganizationJson.extend({
  role: z.enum(ROLES),
  access: z.array(z.string()),
});
const ProjectJson = z.looseObject({
  ...named,
  platform: z.string(),
  dateCreated: time,
  firstEvent: time.nullable(),
  access: z.array(z.string()),
});
const OwnProjectJson = ProjectJson.extend({ organization: OrganizationJson });
const DeletedProjectJson = z.object({
  ...named,
  dateDeleted: time,
  deletedBy: z.string(),
  restorableUntil: time,
  purgedRows: z.number().nullable(),
});
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
});

const ProjectChanges = z.object({
  name: z.string().optional(),
  slug: z.string().optional(),
  platform: z.string().nullish(),
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

const CREATE_PROJECT: ApiMethod = onOrganization("project:create", {
  summary: "Makes a project; 409 when its slug is taken",
  body: NewProject,
  answer: OwnProjectJson,
  status: 201,
}, createProjectReply);

/** What the addresses below `/api/0` do that are about organizations, projects and keys, by method. */
export const projectRoutes: ApiRoutes = {
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
    }, (ctx, access) => organizationDetailJson(access, ctx.state.services.config.baseUrl)),
  },
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
    }, async (ctx, { organization, role }) => {
      const { services } = ctx.state;
      const project = await restoreProject(services, organization.id, ctx.params.deleted ?? "");
      if (project === null) {
        throw ApiError.detail(404, "There is no deleted project of this id that can be restored.");
      }
      return projectDetailJson(project, organization, role, services.config.baseUrl);
    }),
  },
  "/organizations/:organization/projects": {
    GET: onOrganization("project:read", {
      summary: "The projects of an organization",
      answer: z.array(ProjectJson),
    }, async (ctx, { organization, role }) => {
      const projects = await listProjects(ctx.state.services.kv, organization.id);
      return listReply(ctx, projects.map((project) => projectJson(project, organization, role)));
    }),
    POST: CREATE_PROJECT,
  },
  "/projects": {
    GET: onVisibleProjects("project:read", {
      summary: "All projects that the token sees",
      answer: z.array(OwnProjectJson),
    }, (ctx, accesses) => (
      listReply(ctx, accesses.map((access) => projectReply(ctx, access, access.project)))
    )),
  },
  "/projects/:organization/:project": {
    GET: onProject("project:read", {
      summary: "One project",
      answer: OwnProjectJson,
    }, (ctx, access) => projectReply(ctx, access, access.project)),
    PUT: onProject("project:write", {
      summary: "Changes what the body names of a project",
      body: ProjectChanges,
      answer: OwnProjectJson,
    }, async (ctx, access, { body: { name, slug, platform } }) => {
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(slug === undefined ? {} : { slug }),
        ...(platform === undefined ? {} : { platform: platform ?? "" }),
      };
      const project = await updateProject(ctx.state.services.kv, access.project.id, changes);
      return projectReply(ctx, access, project ?? access.project);
    }),
    DELETE: onProject("project:delete", {
      summary: "Deletes a project, which can be restored for seven days",
    }, async ({ state: { services, actor } }, { project }) => {
      await deleteProject(services, project, nameOfActor(actor));
    }),
  },
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
  "/teams/:organization/:team/projects": { POST: CREATE_PROJECT },
};

/** Version of Sentry's web API whose shapes we speak. */
const VERSION = "0";

function auth({ state: { actor } }: ApiContext): { scopes: string[] } | null {
  if (actor.kind === "nobody") return null;
  return { scopes: sentryScopes(actor.kind === "token" ? actor.token.scopes : PERMISSIONS) };
}

/** Null for nobody, and for the bootstrap token, which belongs to no person. */
function user({ state: { actor } }: ApiContext) {
  if (actor.kind === "nobody" || actor.kind === "bootstrap") return null;
  const { id, email, name } = actor.user;
  return { id, email, name, username: email };
}

function projectReply(
  { state }: ApiContext,
  { organization, role }: ProjectAccess,
  project: Project,
) {
  return projectDetailJson(project, organization, role, state.services.config.baseUrl);
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
