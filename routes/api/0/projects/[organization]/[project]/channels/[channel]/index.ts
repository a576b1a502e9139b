import { emailOf } from "@/lib/accounts/authorize.ts";
import type { RouteConfig } from "fresh";
import { deleteChannel } from "@/lib/alerts/channels/channels.ts";
import { changeChannel, readSettings } from "@/lib/alerts/channels/settings.ts";
import { apiRoute, readJson } from "@/lib/api/route.ts";
import {
  ChannelChangesBody,
  channelInput,
  channelJson,
  notFound,
  requireChannel,
  savedChannelJson,
} from "@/lib/alerts/channels/channels_api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/channels/:channel{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    return Response.json(channelJson((await requireChannel(ctx, "project:read")).channel));
  },

  async PUT(ctx) {
    const { channel } = await requireChannel(ctx, "project:write");
    const { services, actor } = ctx.state;
    const body = await readJson(ctx.req, ChannelChangesBody);
    const settings = await readSettings(services, channel);
    const addresses = settings?.type === "email" ? settings.addresses : [];
    const input = channelInput(body, { name: channel.name, addresses });
    const changed = await changeChannel(services, channel, input, emailOf(actor));
    if (changed === null) throw notFound();
    return Response.json(savedChannelJson(changed));
  },

  async DELETE(ctx) {
    const { channel: { projectId, channelId } } = await requireChannel(ctx, "project:write");
    await deleteChannel(ctx.state.services.sql, projectId, channelId);
    return new Response(null, { status: 204 });
  },
});
