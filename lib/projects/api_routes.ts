import { z } from "zod";
import { type Permission, PERMISSIONS } from "../accounts/members.ts";
import { type ApiContext, ApiError, type ApiRoutes, listReply, readJson } from "../api/route.ts";
import {
  createProjectReply,
  keyJson,
  organizationDetailJson,
  organizationJson,
  projectDetailJson,
  projectJson,
  sentryScopes,
} from "./json.ts";
import { deletedProjects, deleteProject, restoreProject } from "./deletion.ts";
import {
  requireOrganization,
  requireProject,
  visibleOrganizations,
  visibleProjects,
} from "../api/access.ts";
import { listProjects, type Project, updateProject } from "../accounts/projects.ts";
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

/** What the addresses below `/api/0` do that are about organizations, projects and keys, by method. */
export const projectRoutes: ApiRoutes = {
  "": {
    GET: (ctx) => Response.json({ version: VERSION, auth: auth(ctx), user: user(ctx) }),
  },
  "/organizations": {
    async GET(ctx) {
      const { baseUrl } = ctx.state.services.config;
      const accesses = await visibleOrganizations(ctx, "organization:read");
      return listReply(
        ctx,
        accesses.map(({ organization }) => organizationJson(organization, baseUrl)),
      );
    },
  },
  "/organizations/:organization": {
    async GET(ctx) {
      const access = await requireOrganization(ctx, "organization:read");
      return Response.json(organizationDetailJson(access, ctx.state.services.config.baseUrl));
    },
  },
  "/organizations/:organization/deleted-projects": {
    async GET(ctx) {
      const { organization } = await requireOrganization(ctx, "project:delete");
      const deleted = await deletedProjects(ctx.state.services, organization.id);
      return listReply(
        ctx,
        deleted.map(({ project, deletedAt, deletedBy, purgeAt, purgedRows }) => ({
          id: project.id,
          slug: project.slug,
          name: project.name,
          dateDeleted: deletedAt,
          deletedBy,
          restorableUntil: purgeAt,
          purgedRows,
        })),
      );
    },
  },
  "/organizations/:organization/deleted-projects/:deleted/restore": {
    async POST(ctx) {
      const { organization, role } = await requireOrganization(ctx, "project:delete");
      const { services } = ctx.state;
      const project = await restoreProject(services, organization.id, ctx.params.deleted ?? "");
      if (project === null) {
        throw ApiError.detail(404, "There is no deleted project of this id that can be restored.");
      }
      return Response.json(projectDetailJson(project, organization, role, services.config.baseUrl));
    },
  },
  "/organizations/:organization/projects": {
    async GET(ctx) {
      const { organization, role } = await requireOrganization(ctx, "project:read");
      const projects = await listProjects(ctx.state.services.kv, organization.id);
      return listReply(ctx, projects.map((project) => projectJson(project, organization, role)));
    },
    POST: createProjectReply,
  },
  "/projects": {
    async GET(ctx) {
      const { baseUrl } = ctx.state.services.config;
      const accesses = await visibleProjects(ctx);
      const rows = accesses.map(({ project, organization, role }) =>
        projectDetailJson(project, organization, role, baseUrl)
      );
      return listReply(ctx, rows);
    },
  },
  "/projects/:organization/:project": {
    async GET(ctx) {
      const access = await requireProject(ctx, "project:read");
      return projectReply(ctx, access, access.project);
    },

    async PUT(ctx) {
      const access = await requireProject(ctx, "project:write");
      const { platform, name, slug } = await readJson(ctx.req, ProjectChanges);
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(slug === undefined ? {} : { slug }),
        ...(platform === undefined ? {} : { platform: platform ?? "" }),
      };
      const project = await updateProject(ctx.state.services.kv, access.project.id, changes);
      return projectReply(ctx, access, project ?? access.project);
    },

    async DELETE(ctx) {
      const { project } = await requireProject(ctx, "project:delete");
      await deleteProject(ctx.state.services, project, nameOfActor(ctx.state.actor));
      return new Response(null, { status: 204 });
    },
  },
  "/projects/:organization/:project/keys": {
    async GET(ctx) {
      const { project } = await requireProject(ctx, "key:read");
      const { kv, config: { baseUrl } } = ctx.state.services;
      const keys = await listKeys(kv, project.id);
      return listReply(ctx, keys.filter(isWanted(ctx.url)).map((key) => keyJson(key, baseUrl)));
    },

    async POST(ctx) {
      const { project } = await requireProject(ctx, "key:write");
      const { kv, config: { baseUrl } } = ctx.state.services;
      const { name, label, type } = await readJson(ctx.req, NewKey);
      const key = await createKey(kv, {
        projectId: project.id,
        name: name ?? label ?? DEFAULT_NAME,
        type,
      });
      return Response.json(keyJson(key, baseUrl), { status: 201 });
    },
  },
  "/projects/:organization/:project/keys/:key": {
    async GET(ctx) {
      return keyReply(ctx, await requireKey(ctx, "key:read"));
    },

    async PUT(ctx) {
      const key = await requireKey(ctx, "key:write");
      const { name, isActive, rateLimit } = await readJson(ctx.req, KeyChanges);
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(isActive === undefined ? {} : { isActive }),
        ...(rateLimit === undefined ? {} : { ratePerSec: ratePerSecOf(rateLimit) }),
      };
      return keyReply(ctx, await updateKey(ctx.state.services.kv, key.publicKey, changes));
    },

    async DELETE(ctx) {
      const { publicKey } = await requireKey(ctx, "key:write");
      await deleteKey(ctx.state.services.kv, publicKey);
      return new Response(null, { status: 204 });
    },
  },
  "/teams/:organization/:team/projects": { POST: createProjectReply },
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

const ProjectChanges = z.object({
  name: z.string().optional(),
  slug: z.string().optional(),
  platform: z.string().nullish(),
});

function projectReply(
  ctx: ApiContext,
  { organization, role }: ProjectAccess,
  project: Project,
): Response {
  const { baseUrl } = ctx.state.services.config;
  return Response.json(projectDetailJson(project, organization, role, baseUrl));
}

const DEFAULT_NAME = "Default";

const NewKey = z.object({
  name: z.string().nullish(),
  /** Older clients of Sentry call the name so. */
  label: z.string().nullish(),
  type: z.enum(KEY_TYPES).default("server"),
});

/** `?status=active` and `?status=inactive`, as Sentry's clients ask. */
function isWanted({ searchParams }: URL): (key: { isActive: boolean }) => boolean {
  const status = searchParams.get("status");
  if (status === "active") return ({ isActive }) => isActive;
  if (status === "inactive") return ({ isActive }) => !isActive;
  return () => true;
}

const KeyChanges = z.object({
  name: z.string().optional(),
  isActive: z.boolean().optional(),
  /** Sentry's form: so many requests in so many seconds; null for no limit of its own. */
  rateLimit: z.object({ count: z.number().min(0), window: z.number().min(1) }).nullable()
    .optional(),
});

function ratePerSecOf(rateLimit: { count: number; window: number } | null): number | null {
  if (rateLimit === null || rateLimit.count === 0) return null;
  return Math.max(1, Math.round(rateLimit.count / rateLimit.window));
}

/** The key in the address, if it is one of the project's. */
async function requireKey(ctx: ApiContext, permission: Permission): Promise<IngestKey> {
  const { project } = await requireProject(ctx, permission);
  const key = await findKey(ctx.state.services.kv, ctx.params.key ?? "");
  if (key?.projectId !== project.id) throw notFound();
  return key;
}

function keyReply({ state }: ApiContext, key: IngestKey | null): Response {
  // Null when somebody deleted it a moment ago.
  if (key === null) throw notFound();
  return Response.json(keyJson(key, state.services.config.baseUrl));
}

function notFound(): ApiError {
  return ApiError.detail(404, "The requested resource does not exist.");
}
