import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { labelValueListReply } from "@/lib/metrics/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/metrics/labels/:key/values{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => labelValueListReply(ctx, await requireProject(ctx, "project:read")),
});
