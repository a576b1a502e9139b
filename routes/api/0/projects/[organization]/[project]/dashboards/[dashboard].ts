import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import {
  dashboardReply,
  deleteDashboardReply,
  updateDashboardReply,
} from "@/lib/dashboards/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/dashboards/:dashboard{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => dashboardReply(ctx, await requireProject(ctx, "project:read")),
  PUT: async (ctx) => updateDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
  DELETE: async (ctx) => deleteDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
});
