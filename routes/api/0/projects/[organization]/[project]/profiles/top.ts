import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/web/api.ts";
import { requireProject } from "@/lib/web/api_access.ts";
import { topReply } from "@/lib/web/api_profiles/top.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/profiles/top{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => topReply(ctx, await requireProject(ctx, "project:read")),
});
