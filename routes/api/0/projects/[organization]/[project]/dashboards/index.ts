import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { createDashboardReply, dashboardListReply } from "@/lib/dashboards/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/dashboards{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => dashboardListReply(ctx, await requireProject(ctx, "project:read")),
  POST: async (ctx) => createDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
});
