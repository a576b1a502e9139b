import { requireProject } from "../api/access.ts";
import {
  createDashboardReply,
  dashboardListReply,
  dashboardReply,
  deleteDashboardReply,
  updateDashboardReply,
} from "./api.ts";
import type { ApiRoutes } from "../api/route.ts";

/** What the addresses below `/api/0` do that are about dashboards, by method. */
export const dashboardRoutes: ApiRoutes = {
  "/projects/:organization/:project/dashboards": {
    GET: async (ctx) => dashboardListReply(ctx, await requireProject(ctx, "project:read")),
    POST: async (ctx) => createDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
  },
  "/projects/:organization/:project/dashboards/:dashboard": {
    GET: async (ctx) => dashboardReply(ctx, await requireProject(ctx, "project:read")),
    PUT: async (ctx) => updateDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
    DELETE: async (ctx) => deleteDashboardReply(ctx, await requireProject(ctx, "dashboard:write")),
  },
};
