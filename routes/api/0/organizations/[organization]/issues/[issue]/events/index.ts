import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { issueEventsReply } from "@/lib/errors/api_events.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/organizations/:organization/issues/:issue/events{/}?",
};

export const handler = apiRoute({ GET: issueEventsReply });
