import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { issueEventReply } from "@/lib/errors/api_events.ts";

export const config: RouteConfig = { routeOverride: "/api/0/issues/:issue/events/:event{/}?" };

export const handler = apiRoute({ GET: issueEventReply });
