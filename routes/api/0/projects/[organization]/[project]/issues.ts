import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { issueListReply, issuesUpdateReply } from "@/lib/errors/api_issues.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/issues{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => issueListReply(ctx, [await requireProject(ctx, "project:read")]),
  PUT: async (ctx) => issuesUpdateReply(ctx, [await requireProject(ctx, "issue:write")]),
});
