import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/api.ts";
import { visibleProjects } from "@/lib/api/access.ts";
import { listReply } from "@/lib/api/api_page.ts";
import { projectDetailJson } from "@/lib/projects/api_project.ts";

export const config: RouteConfig = { routeOverride: "/api/0/projects{/}?" };

export const handler = apiRoute({
  async GET(ctx) {
    const { baseUrl } = ctx.state.services.config;
    const accesses = await visibleProjects(ctx);
    const rows = accesses.map(({ project, organization, role }) =>
      projectDetailJson(project, organization, role, baseUrl)
    );
    return listReply(ctx, rows);
  },
});
