import { z } from "zod";
import type { ProjectAccess } from "../../accounts/authorize.ts";
import type { Permission } from "../../accounts/members.ts";
import { requireProject } from "../../api/access.ts";
import { type ApiContext, ApiError } from "../../api/route.ts";
import type { Delivery } from "../deliveries/deliveries.ts";
import { type Channel, CHANNEL_TYPES, findChannel } from "./channels.ts";
import type { ChannelInput, SavedChannel } from "./settings.ts";

/**
 * Lets a request pass to the channel in its address.
 *
 * @throws {Denied} as `requireProject()`
 * @throws {ApiError} 404 when the project has no such channel
 */
export async function requireChannel(
  ctx: ApiContext,
  permission: Permission,
): Promise<ProjectAccess & { readonly channel: Channel }> {
  const access = await requireProject(ctx, permission);
  const { sql } = ctx.state.services;
  const channel = await findChannel(sql, access.project.id, ctx.params.channel ?? "");
  if (channel === null) throw notFound();
  return { ...access, channel };
}

export function notFound(): ApiError {
  return ApiError.detail(404, "The requested resource does not exist.");
}

/** A channel as the API shows it: without its secrets. */
export function channelJson(channel: Channel) {
  return {
    id: channel.channelId,
    name: channel.name,
    type: channel.type,
    target: channel.target,
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

const settings = {
  /** Of mail. */
  addresses: z.array(z.string()).optional(),
  url: z.string().optional(),
  token: z.string().optional(),
  chatId: z.union([z.string(), z.number().int()]).optional(),
  routingKey: z.string().optional(),
};

export const NewChannelBody = z.object({
  type: z.enum(CHANNEL_TYPES),
  name: z.string(),
  ...settings,
});

/** What is absent stays as it is. */
export const ChannelChangesBody = z.object({ name: z.string().optional(), ...settings });

/**
 * What a body says about a channel.
 *
 * @param former name and mail addresses that hold where it says none
 */
export function channelInput(
  body: z.infer<typeof ChannelChangesBody>,
  former: { readonly name: string; readonly addresses: readonly string[] },
): ChannelInput {
  const { name = former.name, addresses = former.addresses, chatId, url, token, routingKey } = body;
  return {
    name,
    addresses: addresses.join("\n"),
    chatId: chatId === undefined ? undefined : String(chatId),
    url,
    token,
    routingKey,
  };
}
