import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { metricListReply } from "@/lib/metrics/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/metrics{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => metricListReply(ctx, await requireProject(ctx, "project:read")),
});
