import type { RouteConfig } from "fresh";
import { statesOf } from "@/lib/alerts/states.ts";
import { apiRoute, listReply } from "@/lib/api/route.ts";
import { requireAlert, stateJson } from "@/lib/alerts/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/alerts/:alert/states{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    const { rule } = await requireAlert(ctx, "project:read");
    const states = await statesOf(ctx.state.services.sql, rule.projectId, rule.ruleId);
    return listReply(ctx, states.map(stateJson));
  },
});
