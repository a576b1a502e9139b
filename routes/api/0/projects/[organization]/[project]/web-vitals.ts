import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { vitalListReply } from "@/lib/traces/api_lists.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/web-vitals{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => vitalListReply(ctx, await requireProject(ctx, "project:read")),
});
