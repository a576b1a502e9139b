import { emailOf } from "@/lib/accounts/authorize.ts";
import type { RouteConfig } from "fresh";
import { renewSigningSecret } from "@/lib/alerts/channels/settings.ts";
import { ApiError, apiRoute } from "@/lib/api/route.ts";
import { requireChannel, savedChannelJson } from "@/lib/alerts/channels/channels_api.ts";

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
