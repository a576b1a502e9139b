import type { RouteConfig } from "fresh";
import { apiRoute, listReply } from "@/lib/api/route.ts";
import { visibleProjects } from "@/lib/api/access.ts";
import { projectDetailJson } from "@/lib/projects/json.ts";

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
