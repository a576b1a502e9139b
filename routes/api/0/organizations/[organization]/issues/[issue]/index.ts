import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { issueReply, issueUpdateReply } from "@/lib/errors/api_issues.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/organizations/:organization/issues/:issue{/}?",
};

export const handler = apiRoute({ GET: issueReply, PUT: issueUpdateReply });
