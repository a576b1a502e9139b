import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { traceListReply } from "@/lib/traces/api_lists.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/traces{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => traceListReply(ctx, await requireProject(ctx, "project:read")),
});
