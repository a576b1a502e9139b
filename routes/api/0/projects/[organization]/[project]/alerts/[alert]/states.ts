import type { RouteConfig } from "fresh";
import { statesOf } from "@/lib/alerts/states.ts";
import { apiRoute } from "@/lib/api/api.ts";
import { stateJson } from "@/lib/alerts/alert_json.ts";
import { requireAlert } from "@/lib/alerts/require_alert.ts";
import { listReply } from "@/lib/api/api_page.ts";

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
