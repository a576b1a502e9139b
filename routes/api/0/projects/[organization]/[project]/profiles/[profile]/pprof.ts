import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { pprofReply } from "@/lib/profiles/api/replies.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/profiles/:profile/pprof{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => pprofReply(ctx, await requireProject(ctx, "project:read")),
});
