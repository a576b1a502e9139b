import { emailOf } from "../accounts/authorize.ts";
import {
  alertJson,
  alertReply,
  historyReply,
  muteReply,
  readAlert,
  requireAlert,
  savingAlert,
  stateJson,
} from "./api.ts";
import { createRule, deleteRule, listRules, pinMetrics, updateRule } from "./rules.ts";
import { ALERT_WRITE } from "./pages/actions.ts";
import {
  ChannelChangesBody,
  channelInput,
  channelJson,
  deliveryJson,
  NewChannelBody,
  notFound,
  requireChannel,
  savedChannelJson,
} from "./channels/channels_api.ts";
import { statesOf, summariesOf } from "./states.ts";
import { ApiError, type ApiRoutes, listReply, readJson } from "../api/route.ts";
import { testRule } from "./notices.ts";
import { requireProject } from "../api/access.ts";
import { findDelivery, listDeliveries, sendAgain } from "./deliveries/deliveries.ts";
import { deleteChannel, listChannels } from "./channels/channels.ts";
import {
  addChannel,
  changeChannel,
  readSettings,
  renewSigningSecret,
} from "./channels/settings.ts";
import { tryChannel } from "./deliveries/deliver.ts";

/** What the addresses below `/api/0` do that are about alerts, by method. */
export const alertRoutes: ApiRoutes = {
  "/projects/:organization/:project/alerts": {
    async GET(ctx) {
      const { project } = await requireProject(ctx, "project:read");
      const { sql } = ctx.state.services;
      const [rules, summaries] = await Promise.all([
        listRules(sql, project.id),
        summariesOf(sql, project.id),
      ]);
      return listReply(ctx, rules.map((rule) => alertJson(rule, summaries.get(rule.ruleId))));
    },

    async POST(ctx) {
      const { project } = await requireProject(ctx, ALERT_WRITE);
      const { sql } = ctx.state.services;
      const input = await pinMetrics(sql, project.id, await readAlert(ctx.req, null));
      const by = emailOf(ctx.state.actor);
      const rule = await savingAlert(() => createRule(sql, project.id, input, by));
      return await alertReply(ctx, rule, 201);
    },
  },
  "/projects/:organization/:project/alerts/:alert": {
    async GET(ctx) {
      const { rule } = await requireAlert(ctx, "project:read");
      return await alertReply(ctx, rule);
    },

    async PUT(ctx) {
      const { rule } = await requireAlert(ctx, ALERT_WRITE);
      const { sql } = ctx.state.services;
      const input = await pinMetrics(sql, rule.projectId, await readAlert(ctx.req, rule));
      const by = emailOf(ctx.state.actor);
      const changed = await savingAlert(() =>
        updateRule(sql, rule.projectId, rule.ruleId, input, by)
      );
      return await alertReply(ctx, changed);
    },

    async DELETE(ctx) {
      const { rule } = await requireAlert(ctx, ALERT_WRITE);
      await deleteRule(ctx.state.services.sql, rule.projectId, rule.ruleId);
      return new Response(null, { status: 204 });
    },
  },
  "/projects/:organization/:project/alerts/:alert/history": { GET: historyReply },
  "/projects/:organization/:project/alerts/:alert/mute": { POST: muteReply },
  "/projects/:organization/:project/alerts/:alert/states": {
    async GET(ctx) {
      const { rule } = await requireAlert(ctx, "project:read");
      const states = await statesOf(ctx.state.services.sql, rule.projectId, rule.ruleId);
      return listReply(ctx, states.map(stateJson));
    },
  },
  "/projects/:organization/:project/alerts/:alert/test": {
    async POST(ctx) {
      const { project, rule } = await requireAlert(ctx, ALERT_WRITE);
      const { sql, config: { baseUrl } } = ctx.state.services;
      const channels = await testRule({ sql, baseUrl }, project, rule);
      return Response.json({ channels: channels.map(channelJson) });
    },
  },
  "/projects/:organization/:project/channels": {
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
  },
  "/projects/:organization/:project/channels/:channel": {
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
  },
  "/projects/:organization/:project/channels/:channel/deliveries": {
    async GET(ctx) {
      const { channel: { projectId, channelId } } = await requireChannel(ctx, "project:read");
      const found = await listDeliveries(ctx.state.services.sql, projectId, channelId, {
        cursor: ctx.url.searchParams.get("cursor"),
        limit: DELIVERIES_A_PAGE,
      });
      return listReply(ctx, found.rows.map(deliveryJson), found);
    },
  },
  "/projects/:organization/:project/channels/:channel/deliveries/:delivery": {
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
  },
  "/projects/:organization/:project/channels/:channel/secret": {
    async POST(ctx) {
      const { channel } = await requireChannel(ctx, "project:write");
      const { services, actor } = ctx.state;
      const saved = await renewSigningSecret(services, channel, emailOf(actor));
      if (saved === null) throw ApiError.detail(400, "Only webhooks have a signing secret.");
      return Response.json(savedChannelJson(saved));
    },
  },
  "/projects/:organization/:project/channels/:channel/test": {
    async POST(ctx) {
      const { channel, project } = await requireChannel(ctx, "project:write");
      const { services } = ctx.state;
      const tools = { config: services.config, signal: services.stopping };
      const { kind, answer } = await tryChannel(services, tools, channel, project);
      return Response.json({ sent: kind === "sent", status: answer.status, answer: answer.text });
    },
  },
};

const DELIVERIES_A_PAGE = 100;
