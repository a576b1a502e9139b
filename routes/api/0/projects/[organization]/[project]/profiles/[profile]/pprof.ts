import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/web/api.ts";
import { requireProject } from "@/lib/web/api_access.ts";
import { pprofReply } from "@/lib/web/api_profiles/profile.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/profiles/:profile/pprof{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => pprofReply(ctx, await requireProject(ctx, "project:read")),
});
