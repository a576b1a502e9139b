import type { RouteConfig } from "fresh";
import { listProjects } from "@/lib/accounts/projects.ts";
import { apiRoute, listReply } from "@/lib/api/route.ts";
import { requireOrganization } from "@/lib/api/access.ts";
import { createProjectReply, projectJson } from "@/lib/projects/json.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/organizations/:organization/projects{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    const { organization, role } = await requireOrganization(ctx, "project:read");
    const projects = await listProjects(ctx.state.services.kv, organization.id);
    return listReply(ctx, projects.map((project) => projectJson(project, organization, role)));
  },
  POST: createProjectReply,
});
