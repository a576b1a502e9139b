import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { traceReply } from "@/lib/traces/api_trace.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/traces/:trace{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => traceReply(ctx, await requireProject(ctx, "project:read")),
});
