import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/web/api.ts";
import { requireProject } from "@/lib/web/api_access.ts";
import { traceReply } from "@/lib/web/api_tracing/trace.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/traces/:trace{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => traceReply(ctx, await requireProject(ctx, "project:read")),
});
