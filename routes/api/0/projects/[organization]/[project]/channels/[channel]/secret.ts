import type { RouteConfig } from "fresh";
import { renewSigningSecret } from "@/lib/alerts/channels/manage_channels.ts";
import { apiRoute } from "@/lib/api/api.ts";
import { ApiError } from "@/lib/api/api_error.ts";
import { savedChannelJson } from "@/lib/alerts/channels/channel_json.ts";
import {
  emailOf,
  requireChannel,
} from "@/lib/alerts/channels/require_channel.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/channels/:channel/secret{/}?",
};

export const handler = apiRoute({
  async POST(ctx) {
    const { channel } = await requireChannel(ctx, "project:write");
    const { services, actor } = ctx.state;
    const saved = await renewSigningSecret(services, channel, emailOf(actor));
    if (saved === null) throw ApiError.detail(400, "Only webhooks have a signing secret.");
    return Response.json(savedChannelJson(saved));
  },
});
