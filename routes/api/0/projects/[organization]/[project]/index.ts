import type { RouteConfig } from "fresh";
import { z } from "zod";
import { nameOfActor, type ProjectAccess } from "@/lib/accounts/authorize.ts";
import { type Project, updateProject } from "@/lib/accounts/projects.ts";
import { deleteProject } from "@/lib/projects/deletion.ts";
import { type ApiContext, apiRoute, readJson } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { projectDetailJson } from "@/lib/projects/json.ts";

export const config: RouteConfig = { routeOverride: "/api/0/projects/:organization/:project{/}?" };

const Changes = z.object({
  name: z.string().optional(),
  slug: z.string().optional(),
  platform: z.string().nullish(),
});

export const handler = apiRoute({
  async GET(ctx) {
    const access = await requireProject(ctx, "project:read");
    return projectReply(ctx, access, access.project);
  },

  async PUT(ctx) {
    const access = await requireProject(ctx, "project:write");
    const { platform, name, slug } = await readJson(ctx.req, Changes);
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
});

function projectReply(
  ctx: ApiContext,
  { organization, role }: ProjectAccess,
  project: Project,
): Response {
  const { baseUrl } = ctx.state.services.config;
  return Response.json(projectDetailJson(project, organization, role, baseUrl));
}
