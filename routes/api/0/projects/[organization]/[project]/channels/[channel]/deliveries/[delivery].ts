import type { RouteConfig } from "fresh";
import {
  findDelivery,
  sendAgain,
} from "@/lib/alerts/deliveries/deliveries.ts";
import { apiRoute } from "@/lib/api/api.ts";
import { deliveryJson } from "@/lib/alerts/channels/channel_json.ts";
import {
  notFound,
  requireChannel,
} from "@/lib/alerts/channels/require_channel.ts";

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
