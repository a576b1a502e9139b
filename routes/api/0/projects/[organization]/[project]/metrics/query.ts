import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { metricQueriesReply, metricQueryReply } from "@/lib/metrics/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/metrics/query{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => metricQueryReply(ctx, await requireProject(ctx, "project:read")),
  // It changes nothing: questions may be too long for an address.
  POST: async (ctx) => metricQueriesReply(ctx, await requireProject(ctx, "project:read")),
});
