import { z } from "zod";
import { emailOf } from "../accounts/authorize.ts";
import { onProject } from "../api/access.ts";
import { PAGE_QUERY } from "../api/lists.ts";
import { ApiError, type ApiRoutes, listReply, notFound } from "../api/route.ts";
import { MINUTE_MS } from "../core/time.ts";
import {
  AlertBody,
  alertJson,
  alertReply,
  Mute,
  onAlert,
  readAlert,
  savingAlert,
  stateJson,
  transitionJson,
} from "./api.ts";
import { CHANNEL_TYPES } from "./channels/channel_types.ts";
import { deleteChannel, listChannels } from "./channels/channels.ts";
import {
  ChannelChangesBody,
  channelJson,
  deliveryJson,
  NewChannelBody,
  onChannel,
  savedChannelJson,
} from "./channels/channels_api.ts";
import { addChannel, changeChannel, renewSigningSecret } from "./channels/settings.ts";
import { tryChannel } from "./deliveries/deliver.ts";
import { findDelivery, listDeliveries, sendAgain } from "./deliveries/deliveries.ts";
import { testRule } from "./notices.ts";
import { ALERT_WRITE } from "./pages/actions.ts";
import { createRule, deleteRule, listRules, muteRule, pinMetrics, updateRule } from "./rules.ts";
import { historyOf, statesOf, summariesOf } from "./states.ts";

const time = z.iso.datetime();
const created = { dateCreated: time, dateUpdated: time, updatedBy: z.string() };

const AlertJson = z.object({
  id: z.string(),
  name: z.string(),
  source: z.looseObject({ kind: z.string() }),
  environments: z.array(z.string()),
  condition: z.looseObject({}),
  windowMinutes: z.int(),
  forMinutes: z.int(),
  noData: z.string(),
  channelIds: z.array(z.string()),
  schedule: z.looseObject({}).nullable(),
  mutedUntil: time.nullable(),
  isEnabled: z.boolean(),
  status: z.string().nullable(),
  level: z.string().nullable(),
  groups: z.record(z.string(), z.int()),
  lastError: z.string(),
  dateEvaluated: time.nullable(),
  dateNotified: time.nullable(),
  ...created,
}).meta({ title: "Alert" });
const StateJson = z.object({
  group: z.string(),
  status: z.string(),
  level: z.string().nullable(),
  value: z.number().nullable(),
  since: time,
  dateEvaluated: time,
}).meta({ title: "Alert state" });
const TransitionJson = z.object({
  group: z.string(),
  at: time,
  from: z.string(),
  to: z.string(),
  level: z.string().nullable(),
  value: z.number().nullable(),
  notice: z.string(),
}).meta({ title: "Alert history" });
const ChannelJson = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(CHANNEL_TYPES),
  target: z.string(),
  awaitsSettings: z.boolean().describe(
    "An import made it: nothing goes out before its settings are entered",
  ),
  ...created,
}).meta({ title: "Channel" });
const SavedChannelJson = ChannelJson.extend({
  signingSecret: z.string().optional().describe("Shown this once"),
});
const DeliveryJson = z.object({
  id: z.string(),
  messageId: z.string(),
  noticeId: z.string(),
  state: z.string(),
  attempts: z.int(),
  status: z.int().nullable(),
  answer: z.string(),
  dateCreated: time,
  dateAttempted: time.nullable(),
  dateDue: time.nullable(),
  notice: z.looseObject({ state: z.string(), title: z.string(), text: z.string() }),
}).meta({ title: "Delivery" });

const CursorQuery = z.object({ cursor: PAGE_QUERY.cursor });
const ROWS_A_PAGE = 100;

const PROJECT = "/projects/:organization/:project";
const ALERT = `${PROJECT}/alerts/:alert`;
const CHANNEL = `${PROJECT}/channels/:channel`;

/** What the addresses below `/api/0` do that are about alerts, by method. */
export const alertRoutes: ApiRoutes = {
  [`${PROJECT}/alerts`]: {
    GET: onProject("project:read", {
      summary: "The alerts of a project",
      answer: z.array(AlertJson),
    }, async (ctx, { project }) => {
      const { sql } = ctx.state.services;
      const [rules, summaries] = await Promise.all([
        listRules(sql, project.id),
        summariesOf(sql, project.id),
      ]);
      return listReply(ctx, rules.map((rule) => alertJson(rule, summaries.get(rule.ruleId))));
    }),
    POST: onProject(ALERT_WRITE, {
      summary: "Makes an alert",
      body: AlertBody,
      answer: AlertJson,
      status: 201,
    }, async (ctx, { project }, { body }) => {
      const { sql } = ctx.state.services;
      const input = await pinMetrics(sql, project.id, readAlert(body, null));
      const by = emailOf(ctx.state.actor);
      return await alertReply(ctx, await savingAlert(() => createRule(sql, project.id, input, by)));
    }),
  },
  [ALERT]: {
    GET: onAlert("project:read", {
      summary: "One alert",
      answer: AlertJson,
    }, (ctx, { rule }) => alertReply(ctx, rule)),
    PUT: onAlert(ALERT_WRITE, {
      summary: "Changes what the body names of an alert",
      body: AlertBody,
      answer: AlertJson,
    }, async (ctx, { rule }, { body }) => {
      const { sql } = ctx.state.services;
      const input = await pinMetrics(sql, rule.projectId, readAlert(body, rule));
      const by = emailOf(ctx.state.actor);
      const changed = await savingAlert(() =>
        updateRule(sql, rule.projectId, rule.ruleId, input, by)
      );
      return await alertReply(ctx, changed);
    }),
    DELETE: onAlert(ALERT_WRITE, { summary: "Deletes an alert" }, async (ctx, { rule }) => {
      await deleteRule(ctx.state.services.sql, rule.projectId, rule.ruleId);
    }),
  },
  [`${ALERT}/history`]: {
    GET: onAlert("project:read", {
      summary: "What happened to an alert, the latest first",
      query: CursorQuery,
      answer: z.array(TransitionJson),
    }, async (ctx, { rule }, { query: { cursor = null } }) => {
      const page = await historyOf(ctx.state.services.sql, rule.projectId, rule.ruleId, {
        cursor,
        limit: ROWS_A_PAGE,
      });
      return listReply(ctx, page.rows.map(transitionJson), page);
    }),
  },
  [`${ALERT}/mute`]: {
    POST: onAlert(ALERT_WRITE, {
      summary: "Holds notices back: `until` a time, for `minutes`, or no longer with neither",
      body: Mute,
      answer: AlertJson,
    }, async (ctx, { rule }, { body: { until, minutes } }) => {
      const end = minutes ? new Date(Date.now() + minutes * MINUTE_MS) : null;
      const { sql } = ctx.state.services;
      const by = emailOf(ctx.state.actor);
      const muted = await muteRule(
        sql,
        rule.projectId,
        rule.ruleId,
        until ? new Date(until) : end,
        by,
      );
      return await alertReply(ctx, muted);
    }),
  },
  [`${ALERT}/states`]: {
    GET: onAlert("project:read", {
      summary: "How each group of an alert stands",
      answer: z.array(StateJson),
    }, async (ctx, { rule }) => {
      const states = await statesOf(ctx.state.services.sql, rule.projectId, rule.ruleId);
      return listReply(ctx, states.map(stateJson));
    }),
  },
  [`${ALERT}/test`]: {
    POST: onAlert(ALERT_WRITE, {
      summary: "Sends a notice to the channels of an alert, to see them",
      answer: z.object({ channels: z.array(ChannelJson) }),
    }, async (ctx, { project, rule }) => {
      const { sql, config: { baseUrl } } = ctx.state.services;
      const channels = await testRule({ sql, baseUrl }, project, rule);
      return { channels: channels.map(channelJson) };
    }),
  },
};

/** The same about where notices go. */
export const channelRoutes: ApiRoutes = {
  [`${PROJECT}/channels`]: {
    GET: onProject("project:read", {
      summary: "The channels of a project",
      answer: z.array(ChannelJson),
    }, async (ctx, { project }) => {
      const channels = await listChannels(ctx.state.services.sql, project.id);
      return listReply(ctx, channels.map(channelJson));
    }),
    POST: onProject("project:write", {
      summary: "Makes a channel",
      body: NewChannelBody,
      answer: SavedChannelJson,
      status: 201,
    }, async ({ state: { services, actor } }, { project }, { body: { type, ...input } }) => {
      return savedChannelJson(await addChannel(services, project.id, type, input, emailOf(actor)));
    }),
  },
  [CHANNEL]: {
    GET: onChannel("project:read", {
      summary: "One channel, without its secrets",
      answer: ChannelJson,
    }, (_, { channel }) => channelJson(channel)),
    PUT: onChannel("project:write", {
      summary: "Changes what the body names of a channel",
      body: ChannelChangesBody,
      answer: SavedChannelJson,
    }, async ({ state: { services, actor } }, { channel }, { body }) => {
      const input = { ...body, name: body.name ?? channel.name };
      const changed = await changeChannel(services, channel, input, emailOf(actor));
      if (changed === null) throw notFound();
      return savedChannelJson(changed);
    }),
    DELETE: onChannel("project:write", {
      summary: "Deletes a channel",
    }, async (ctx, { channel: { projectId, channelId } }) => {
      await deleteChannel(ctx.state.services.sql, projectId, channelId);
    }),
  },
  [`${CHANNEL}/deliveries`]: {
    GET: onChannel("project:read", {
      summary: "What was sent to a channel, the latest first",
      query: CursorQuery,
      answer: z.array(DeliveryJson),
    }, async (ctx, { channel: { projectId, channelId } }, { query: { cursor = null } }) => {
      const found = await listDeliveries(ctx.state.services.sql, projectId, channelId, {
        cursor,
        limit: ROWS_A_PAGE,
      });
      return listReply(ctx, found.rows.map(deliveryJson), found);
    }),
  },
  [`${CHANNEL}/deliveries/:delivery`]: {
    GET: onChannel("project:read", {
      summary: "One delivery",
      answer: DeliveryJson,
    }, async (ctx, { channel: { projectId, channelId } }) => {
      const { sql } = ctx.state.services;
      const delivery = await findDelivery(sql, projectId, channelId, ctx.params.delivery ?? "");
      if (delivery === null) throw notFound();
      return deliveryJson(delivery);
    }),
    POST: onChannel("project:write", {
      summary: "Sends it again",
      status: 202,
    }, async (ctx, { channel: { projectId, channelId } }) => {
      const { sql } = ctx.state.services;
      if (!await sendAgain(sql, projectId, channelId, ctx.params.delivery ?? "")) throw notFound();
    }),
  },
  [`${CHANNEL}/secret`]: {
    POST: onChannel("project:write", {
      summary: "Makes a new signing secret for a webhook",
      errors: [400],
      answer: SavedChannelJson,
    }, async ({ state: { services, actor } }, { channel }) => {
      const saved = await renewSigningSecret(services, channel, emailOf(actor));
      if (saved === null) throw ApiError.detail(400, "Only webhooks have a signing secret.");
      return savedChannelJson(saved);
    }),
  },
  [`${CHANNEL}/test`]: {
    POST: onChannel("project:write", {
      summary: "Sends a notice to a channel, and tells what it answered",
      errors: [400],
      answer: z.object({ sent: z.boolean(), status: z.int().nullable(), answer: z.string() }),
    }, async ({ state: { services } }, { channel, project }) => {
      const tools = { config: services.config, signal: services.stopping };
      const { kind, answer } = await tryChannel(services, tools, channel, project);
      return { sent: kind === "sent", status: answer.status, answer: answer.text };
    }),
  },
};
