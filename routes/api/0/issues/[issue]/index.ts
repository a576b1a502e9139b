import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/api.ts";
import { issueReply, issueUpdateReply } from "@/lib/errors/api_issue_detail.ts";

export const config: RouteConfig = { routeOverride: "/api/0/issues/:issue{/}?" };

export const handler = apiRoute({ GET: issueReply, PUT: issueUpdateReply });
