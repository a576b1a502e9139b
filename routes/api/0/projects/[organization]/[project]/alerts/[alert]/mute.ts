import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { muteReply } from "@/lib/alerts/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/alerts/:alert/mute{/}?",
};

export const handler = apiRoute({ POST: muteReply });
