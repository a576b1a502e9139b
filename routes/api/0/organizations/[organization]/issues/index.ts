import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProjectsOfQuery } from "@/lib/api/access.ts";
import { issueListReply, issuesUpdateReply } from "@/lib/errors/api_issues.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/organizations/:organization/issues{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => issueListReply(ctx, await requireProjectsOfQuery(ctx, "project:read")),
  PUT: async (ctx) => issuesUpdateReply(ctx, await requireProjectsOfQuery(ctx, "issue:write")),
});
