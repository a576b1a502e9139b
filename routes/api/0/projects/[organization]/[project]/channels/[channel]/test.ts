import type { RouteConfig } from "fresh";
import { tryChannel } from "@/lib/alerts/deliveries/deliver.ts";
import { apiRoute } from "@/lib/api/route.ts";
import { requireChannel } from "@/lib/alerts/channels/channels_api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/channels/:channel/test{/}?",
};

export const handler = apiRoute({
  async POST(ctx) {
    const { channel, project } = await requireChannel(ctx, "project:write");
    const { services } = ctx.state;
    const tools = { config: services.config, signal: services.stopping };
    const { kind, answer } = await tryChannel(services, tools, channel, project);
    return Response.json({ sent: kind === "sent", status: answer.status, answer: answer.text });
  },
});
