import { z } from "zod";
import { requireProject } from "../../api/access.ts";
import { behind, notFound } from "../../api/route.ts";
import type { Delivery } from "../deliveries/deliveries.ts";
import { CHANNEL_FIELDS, CHANNEL_TYPES } from "./channel_types.ts";
import { type Channel, findChannel } from "./channels.ts";
import type { SavedChannel } from "./settings.ts";

/** Methods about the channel in the address. */
export const onChannel = behind(async (ctx, scope) => {
  const { project } = await requireProject(ctx, scope);
  const { sql } = ctx.state.services;
  const channel = await findChannel(sql, project.id, ctx.params.channel ?? "");
  if (channel === null) throw notFound();
  return { project, channel };
});

/** A channel as the API shows it: without its secrets. */
export function channelJson(channel: Channel) {
  return {
    id: channel.channelId,
    name: channel.name,
    type: channel.type,
    target: channel.target,
    awaitsSettings: channel.awaitsSettings,
    dateCreated: channel.createdAt,
    dateUpdated: channel.updatedAt,
    updatedBy: channel.updatedBy,
  };
}

/** A channel that was just saved, with its new signing secret if it got one: it is not shown again. */
export function savedChannelJson({ channel, signingSecret }: SavedChannel) {
  return { ...channelJson(channel), ...signingSecret === null ? {} : { signingSecret } };
}

export function deliveryJson(delivery: Delivery) {
  const { notice } = delivery;
  return {
    id: delivery.deliveryId,
    messageId: delivery.messageId,
    noticeId: delivery.noticeId,
    state: delivery.state,
    attempts: delivery.attempts,
    status: delivery.status,
    answer: delivery.answer,
    dateCreated: delivery.createdAt,
    dateAttempted: delivery.attemptedAt,
    dateDue: delivery.state === "waiting" ? delivery.dueAt : null,
    notice: {
      state: notice.state,
      severity: notice.severity,
      title: notice.title,
      text: notice.text,
      url: notice.url,
      rule: { name: notice.ruleName, url: notice.ruleUrl },
      incidentKey: notice.incidentKey,
      facts: notice.facts,
      occurredAt: notice.occurredAt,
    },
  };
}

const settings = Object.fromEntries(
  [...CHANNEL_FIELDS].map(([name, { body = z.string() }]) => [name, body.optional()]),
);

export const NewChannelBody = z.object({
  type: z.enum(CHANNEL_TYPES),
  name: z.string(),
  ...settings,
});

/** What is absent stays as it is. */
export const ChannelChangesBody = z.object({ name: z.string().optional(), ...settings });
