import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { profileReply } from "@/lib/profiles/api/replies.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/profiles/:profile{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => profileReply(ctx, await requireProject(ctx, "project:read")),
});
