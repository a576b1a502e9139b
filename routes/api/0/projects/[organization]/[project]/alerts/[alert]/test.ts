import type { RouteConfig } from "fresh";
import { ALERT_WRITE } from "@/lib/alerts/pages/access.ts";
import { apiRoute } from "@/lib/api/api.ts";
import { requireAlert } from "@/lib/alerts/require_alert.ts";
import { channelJson } from "@/lib/alerts/channels/channel_json.ts";
import { testRule } from "@/lib/alerts/test_rule.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/alerts/:alert/test{/}?",
};

export const handler = apiRoute({
  async POST(ctx) {
    const { project, rule } = await requireAlert(ctx, ALERT_WRITE);
    const { sql, config: { baseUrl } } = ctx.state.services;
    const channels = await testRule({ sql, baseUrl }, project, rule);
    return Response.json({ channels: channels.map(channelJson) });
  },
});
