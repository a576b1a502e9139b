import type { Channel } from "./channels.ts";
import type { Delivery } from "../deliveries/deliveries.ts";
import type { SavedChannel } from "./manage_channels.ts";

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
