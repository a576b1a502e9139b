import type { RouteConfig } from "fresh";
import { listProjects } from "@/lib/accounts/projects.ts";
import { apiRoute } from "@/lib/api/api.ts";
import { requireOrganization } from "@/lib/api/access.ts";
import { createProjectReply } from "@/lib/projects/api_create_project.ts";
import { listReply } from "@/lib/api/api_page.ts";
import { projectJson } from "@/lib/projects/api_project.ts";

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
