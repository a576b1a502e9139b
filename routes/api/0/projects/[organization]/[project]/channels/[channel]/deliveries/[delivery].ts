import type { RouteConfig } from "fresh";
import { findDelivery, sendAgain } from "@/lib/alerts/deliveries/deliveries.ts";
import { apiRoute } from "@/lib/api/route.ts";
import { deliveryJson, notFound, requireChannel } from "@/lib/alerts/channels/channels_api.ts";

export const config: RouteConfig = {
  routeOverride:
    "/api/0/projects/:organization/:project/channels/:channel/deliveries/:delivery{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    const { channel: { projectId, channelId } } = await requireChannel(ctx, "project:read");
    const { sql } = ctx.state.services;
    const delivery = await findDelivery(sql, projectId, channelId, ctx.params.delivery ?? "");
    if (delivery === null) throw notFound();
    return Response.json(deliveryJson(delivery));
  },

  /** Sends it again. */
  async POST(ctx) {
    const { channel: { projectId, channelId } } = await requireChannel(ctx, "project:write");
    const { sql } = ctx.state.services;
    if (!await sendAgain(sql, projectId, channelId, ctx.params.delivery ?? "")) throw notFound();
    return new Response(null, { status: 202 });
  },
});
