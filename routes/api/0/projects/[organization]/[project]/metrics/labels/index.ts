import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { labelListReply } from "@/lib/metrics/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/metrics/labels{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => labelListReply(ctx, await requireProject(ctx, "project:read")),
});
