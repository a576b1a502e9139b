import type { RouteConfig } from "fresh";
import { ALERT_WRITE } from "@/lib/alerts/pages/actions.ts";
import { apiRoute } from "@/lib/api/route.ts";
import { requireAlert } from "@/lib/alerts/api.ts";
import { channelJson } from "@/lib/alerts/channels/channels_api.ts";
import { testRule } from "@/lib/alerts/notices.ts";

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
