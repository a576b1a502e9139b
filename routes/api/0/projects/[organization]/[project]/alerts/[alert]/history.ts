import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { historyReply } from "@/lib/alerts/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/alerts/:alert/history{/}?",
};

export const handler = apiRoute({ GET: historyReply });
