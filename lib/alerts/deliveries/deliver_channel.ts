/** Sends what is due of one claimed channel, one message after the other. */
import type { Logger } from "../../core/log.ts";
import type { ChannelType } from "../channels/channels.ts";
import {
  type Answer,
  type ClaimedChannel,
  countAttempt,
  endMessage,
  holdBack,
  joinDeliveries,
  postponeMessage,
  releaseChannel,
  takeTurn,
  waitingOf,
} from "./delivery_queue.ts";
import { pauseAfter } from "./back_off.ts";
import { type ChannelStores, openSettings } from "../channels/manage_channels.ts";
import type { Message } from "../channels/message.ts";
import { type Group, planMessages } from "./plan_messages.ts";
import { sendMessage, type SendTools } from "../channels/send.ts";
import type { ChannelSettings } from "../channels/settings.ts";

export interface DeliveryTools extends SendTools {
  readonly stores: ChannelStores;
  readonly log: Logger;
  readonly now: () => Date;
  /** Aborted when nothing new is to be begun. */
  readonly stopping: AbortSignal;
}

/** Longer than reading the queue takes, and one request; after a kill the channel rests so long. */
export const LEASE_MS = 20_000;
/** Longer than a mail takes, or the two requests of a PagerDuty test. */
const LONG_LEASE_MS = 40_000;
/** Read at once; more are read in the next turn. */
const MAX_WAITING = 1_000;
/** A turn ends after so long, so that others have theirs. */
const TURN_MS = 20_000;
/** A receiver that is in trouble has a pause from all notices, not only from the one that failed. */
const MAX_CHANNEL_PAUSE_MS = 60_000;

/** Messages that a channel may send a minute; machines read faster than people. */
export function messagesPerMinute(type: ChannelType): number {
  return type === "pagerduty" ? 60 : 10;
}

function leaseMsOf(type: ChannelType): number {
  return type === "email" || type === "pagerduty" ? LONG_LEASE_MS : LEASE_MS;
}

/** Sends what is due, then gives the claim back. Throws only what the stores throw. */
export async function deliverChannel(channel: ClaimedChannel, tools: DeliveryTools): Promise<void> {
  const { sql } = tools.stores;
  let pause: Date | "full" | null = null;
  try {
    pause = await deliver(channel, tools);
  } finally {
    await releaseChannel(sql, channel, tools.now(), pause);
  }
}

async function deliver(
  channel: ClaimedChannel,
  tools: DeliveryTools,
): Promise<Date | "full" | null> {
  const { stores, now, stopping } = tools;
  const began = now().getTime();
  const waiting = await waitingOf(stores.sql, channel, MAX_WAITING);
  const joins = channel.type !== "pagerduty";
  const { due, heldBack } = planMessages(waiting, { now: now(), joins });
  for (const { deliveryId, until } of heldBack) {
    await holdBack(stores.sql, channel, [deliveryId], until);
  }
  const settings = await openSettings(stores, channel.projectId, channel.channelId, channel.sealed);
  for (const group of due) {
    if (stopping.aborted || now().getTime() - began > TURN_MS) return null;
    const isMine = await takeTurn(stores.sql, channel, {
      now: now(),
      perMinute: messagesPerMinute(channel.type),
      claim: { holder: channel.holder, leaseMs: leaseMsOf(channel.type) },
    });
    if (!isMine) return "full";
    const pause = await attempt(channel, settings, group, tools);
    if (pause !== null) return pause;
  }
  // What is due stands behind all that was read: not to be looked for again and again.
  const isStuck = due.length === 0 && waiting.length === MAX_WAITING;
  return isStuck ? new Date(now().getTime() + MAX_CHANNEL_PAUSE_MS) : null;
}

/** @returns until when the channel has a pause, or null to go on */
async function attempt(
  channel: ClaimedChannel,
  settings: ChannelSettings | null,
  group: Group,
  tools: DeliveryTools,
): Promise<Date | null> {
  const { stores: { sql }, now } = tools;
  const [{ messageId }] = group;
  if (settings === null) {
    await endMessage(sql, channel, messageId, "failed", SEALED_BY_ANOTHER_KEY);
    return null;
  }
  const deliveryIds = group.map(({ deliveryId }) => deliveryId);
  if (group.length > 1) await joinDeliveries(sql, channel, deliveryIds, messageId);
  await countAttempt(sql, channel, messageId, now());
  const outcome = await sendMessage(settings, messageOf(group), tools);
  if (outcome.kind === "failed") return await postpone(channel, group, outcome, tools);
  if (outcome.kind !== "stopped") {
    const state = outcome.kind === "sent" ? "sent" : "failed";
    await endMessage(sql, channel, messageId, state, outcome.answer);
  }
  return null;
}

async function postpone(
  channel: ClaimedChannel,
  [{ messageId, attempts }]: Group,
  { answer, retryAfterMs }: { readonly answer: Answer; readonly retryAfterMs: number | null },
  { stores: { sql }, log, now }: DeliveryTools,
): Promise<Date | null> {
  const pauseMs = pauseAfter(attempts + 1, retryAfterMs);
  if (pauseMs === null) {
    const { projectId: project, channelId, type } = channel;
    log.warn("gave up on a notice", { project, channel: channelId, type, ...answer });
    await endMessage(sql, channel, messageId, "failed", answer);
    return null;
  }
  const at = now().getTime();
  await postponeMessage(sql, channel, messageId, new Date(at + pauseMs), answer);
  return new Date(at + Math.min(pauseMs, MAX_CHANNEL_PAUSE_MS));
}

const SEALED_BY_ANOTHER_KEY: Answer = {
  status: null,
  text: "The channel's settings cannot be read: SERVICE_SECRET_KEY has changed. Enter them again.",
};

function messageOf([first, ...others]: Group): Message {
  const item = ({ noticeId, notice }: Group[number]) => ({ noticeId, notice });
  return { messageId: first.messageId, items: [item(first), ...others.map(item)] };
}
