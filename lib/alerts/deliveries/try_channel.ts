/** Sends a test notice through a channel at once, and tells what came of it. */
import { InvalidInput } from "../../core/invalid_input.ts";
import type { Channel } from "../channels/channels.ts";
import { insertDelivery } from "./deliveries.ts";
import { takeTurn } from "./delivery_queue.ts";
import type { Notice } from "./notice.ts";
import { messagesPerMinute } from "./deliver_channel.ts";
import { type ChannelStores, readSettings } from "../channels/manage_channels.ts";
import type { Outcome } from "../channels/outcome.ts";
import { sendMessage, type SendTools } from "../channels/send.ts";

/**
 * Makes one attempt; it is listed with the channel's deliveries.
 *
 * @param project of the channel
 * @throws {InvalidInput} when the channel has had its messages of the minute, or its settings cannot be read
 */
export async function tryChannel(
  stores: ChannelStores,
  tools: SendTools,
  channel: Channel,
  project: { readonly id: string; readonly name: string },
): Promise<Exclude<Outcome, { kind: "stopped" }>> {
  const settings = await readSettings(stores, channel);
  if (settings === null) {
    throw new InvalidInput("", "The channel's settings cannot be read any more. Enter them again.");
  }
  const at = new Date();
  const perMinute = messagesPerMinute(channel.type);
  if (!await takeTurn(stores.sql, channel, { now: at, perMinute, claim: null })) {
    throw new InvalidInput(
      "",
      `A channel sends at most ${perMinute} messages a minute. Wait a bit.`,
    );
  }
  const notice = testNotice(channel, project, tools.config.baseUrl, at);
  const [deliveryId, noticeId] = [crypto.randomUUID(), crypto.randomUUID()];
  const message = { messageId: deliveryId, items: [{ noticeId, notice }] } as const;
  const outcome = await sendMessage(settings, message, tools);
  if (outcome.kind === "stopped") throw new InvalidInput("", "The service is being stopped.");
  const { projectId, channelId } = channel;
  await insertDelivery(stores.sql, { projectId, channelId, noticeId, notice }, {
    state: outcome.kind === "sent" ? "sent" : "failed",
    attempts: 1,
    answer: outcome.answer,
    at,
    deliveryId,
  });
  return outcome;
}

function testNotice(
  { channelId, name }: Channel,
  project: { readonly id: string; readonly name: string },
  baseUrl: string,
  occurredAt: Date,
): Notice {
  return {
    projectId: project.id,
    projectName: project.name,
    state: "test",
    severity: "info",
    title: `Notices reach ${name}`,
    text: "Somebody asked for this test. Notices of alerts will look like it.",
    url: `${baseUrl}/projects/${project.id}/settings/channels/${channelId}`,
    ruleUrl: null,
    ruleName: "",
    facts: [{ label: "Channel", value: name }],
    incidentKey: `test/${channelId}/${occurredAt.getTime()}`,
    occurredAt,
  };
}
