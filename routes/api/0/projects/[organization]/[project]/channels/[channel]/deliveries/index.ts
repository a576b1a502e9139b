import type { RouteConfig } from "fresh";
import { listDeliveries } from "@/lib/alerts/deliveries/deliveries.ts";
import { apiRoute, listReply } from "@/lib/api/route.ts";
import { deliveryJson, requireChannel } from "@/lib/alerts/channels/channels_api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/channels/:channel/deliveries{/}?",
};

const DELIVERIES_A_PAGE = 100;

export const handler = apiRoute({
  async GET(ctx) {
    const { channel: { projectId, channelId } } = await requireChannel(ctx, "project:read");
    const found = await listDeliveries(ctx.state.services.sql, projectId, channelId, {
      cursor: ctx.url.searchParams.get("cursor"),
      limit: DELIVERIES_A_PAGE,
    });
    return listReply(ctx, found.rows.map(deliveryJson), found);
  },
});
