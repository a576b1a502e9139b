import { emailOf } from "@/lib/accounts/authorize.ts";
import type { RouteConfig } from "fresh";
import { listChannels } from "@/lib/alerts/channels/channels.ts";
import { addChannel } from "@/lib/alerts/channels/settings.ts";
import { apiRoute, listReply, readJson } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import {
  channelInput,
  channelJson,
  NewChannelBody,
  savedChannelJson,
} from "@/lib/alerts/channels/channels_api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/channels{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const channels = await listChannels(ctx.state.services.sql, project.id);
    return listReply(ctx, channels.map(channelJson));
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const { services, actor } = ctx.state;
    const { type, ...body } = await readJson(ctx.req, NewChannelBody);
    const input = channelInput(body, { name: "", addresses: [] });
    const saved = await addChannel(services, project.id, type, input, emailOf(actor));
    return Response.json(savedChannelJson(saved), { status: 201 });
  },
});
