import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/web/api.ts";
import { requireProject } from "@/lib/web/api_access.ts";
import { labelValueListReply } from "@/lib/web/api_metrics/labels.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/metrics/labels/:key/values{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => labelValueListReply(ctx, await requireProject(ctx, "project:read")),
});
