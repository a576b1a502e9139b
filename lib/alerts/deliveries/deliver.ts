/** Sends what is due of one claimed channel, one message after the other. */
import { pauseAfter } from "../../core/back_off.ts";
import { InvalidInput } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import {
  CHANNEL_KINDS,
  type ChannelSettings,
  type ChannelType,
  sendMessage,
} from "../channels/channel_types.ts";
import type { Channel } from "../channels/channels.ts";
import type { SendTools } from "../channels/kind.ts";
import type { Message, Notice } from "../channels/message.ts";
import type { Answer, Outcome } from "../channels/post.ts";
import {
  awaitedText,
  type ChannelStores,
  openSettings,
  readSettings,
} from "../channels/settings.ts";
import { insertDelivery } from "./deliveries.ts";
import {
  beginAttempt,
  type ClaimedChannel,
  endMessage,
  holdBack,
  postponeMessage,
  releaseChannel,
  takeTurn,
  type WaitingDelivery,
  waitingOf,
} from "./queue.ts";
import { currentLanguage, t } from "../../core/language/translate.ts";
import { inLanguage } from "../../core/request_scope.ts";

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

function messagesPerMinute(type: ChannelType): number {
  return CHANNEL_KINDS[type].perMinute ?? 10;
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
  const { isSingle = false, isSlow } = CHANNEL_KINDS[channel.type];
  const leaseMs = isSlow ? LONG_LEASE_MS : LEASE_MS;
  const { due, heldBack } = planMessages(waiting, { now: now(), joins: !isSingle });
  for (const { deliveryId, until } of heldBack) {
    await holdBack(stores.sql, channel, deliveryId, until);
  }
  const settings = await openSettings(stores, channel.projectId, channel.channelId, channel.sealed);
  for (const group of due) {
    if (stopping.aborted || now().getTime() - began > TURN_MS) return null;
    const isMine = await takeTurn(stores.sql, channel, {
      now: now(),
      perMinute: messagesPerMinute(channel.type),
      claim: { holder: channel.holder, leaseMs },
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
    await endMessage(sql, channel, messageId, "failed", unreadable(channel));
    return null;
  }
  if (!await beginAttempt(sql, channel, group, now())) return null;
  const message = messageOf(group);
  const { language = "en" } = message.items[0].notice;
  const outcome = await inLanguage({ language }, () => sendMessage(settings, message, tools));
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

function unreadable({ sealed }: ClaimedChannel): Answer {
  const text = sealed.length === 0
    ? awaitedText()
    : t("The channel's settings cannot be read: SERVICE_SECRET_KEY has changed. Enter them again.");
  return { status: null, text };
}

function messageOf([first, ...others]: Group): Message {
  const item = ({ noticeId, notice }: Group[number]) => ({ noticeId, notice });
  return { messageId: first.messageId, items: [item(first), ...others.map(item)] };
}

type Group = readonly [WaitingDelivery, ...WaitingDelivery[]];

interface Plan {
  /** Deliveries of one message each, in order. */
  readonly due: readonly Group[];
  /** Due, but behind one of the same incident that is not: they wait for it. */
  readonly heldBack: readonly { readonly deliveryId: string; readonly until: Date }[];
}

/** More than so many at once become one message. */
const JOINED_FROM = 6;
const MAX_JOINED = 50;

/**
 * Plans what to send.
 *
 * @param waiting in the order of their queueing
 * @param options.joins whether the channel takes several notices in one message
 */
export function planMessages(
  waiting: readonly WaitingDelivery[],
  { now, joins }: { readonly now: Date; readonly joins: boolean },
): Plan {
  const blockedUntil = new Map<string, Date>();
  const due: Group[] = [];
  const heldBack: { deliveryId: string; until: Date }[] = [];
  for (const group of groupsOf(waiting)) {
    const blocks = group.flatMap(({ incidentKey }) => blockedUntil.get(incidentKey) ?? []);
    const until = latest([...blocks, ...group.map(({ dueAt }) => dueAt)]);
    if (until <= now) {
      due.push(group);
      continue;
    }
    for (const { incidentKey } of group) blockedUntil.set(incidentKey, until);
    if (blocks.length > 0) heldBack.push(...group.map(({ deliveryId }) => ({ deliveryId, until })));
  }
  return { due: joins ? joinFresh(due) : due, heldBack };
}

/** What is one message already, at the place of its first. */
function groupsOf(waiting: readonly WaitingDelivery[]): Group[] {
  const groups = new Map<string, [WaitingDelivery, ...WaitingDelivery[]]>();
  for (const delivery of waiting) {
    const group = groups.get(delivery.messageId);
    if (group === undefined) groups.set(delivery.messageId, [delivery]);
    else group.push(delivery);
  }
  return [...groups.values()];
}

/** Joins what was never tried; what was may have arrived, and has to look the same again. */
function joinFresh(due: readonly Group[]): Group[] {
  const fresh = due.filter(isFresh).map(([delivery]) => delivery);
  if (fresh.length < JOINED_FROM) return [...due];
  const joined: Group[] = [];
  for (let start = 0; start < fresh.length; start += MAX_JOINED) {
    const [first, ...others] = fresh.slice(start, start + MAX_JOINED);
    if (first !== undefined) joined.push([first, ...others]);
  }
  return [...due.filter((group) => !isFresh(group)), ...joined];
}

function isFresh([first, ...others]: Group): boolean {
  return first.attempts === 0 && others.length === 0;
}

function latest(dates: readonly Date[]): Date {
  return new Date(Math.max(...dates.map((date) => date.getTime())));
}

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
    throw new InvalidInput(
      "",
      channel.awaitsSettings
        ? awaitedText()
        : t("The channel's settings cannot be read any more. Enter them again."),
    );
  }
  const at = new Date();
  const perMinute = messagesPerMinute(channel.type);
  if (!await takeTurn(stores.sql, channel, { now: at, perMinute, claim: null })) {
    throw new InvalidInput(
      "",
      t("A channel sends at most {n} messages a minute. Wait a bit.", { n: perMinute }),
    );
  }
  const notice = testNotice(channel, project, tools.config.baseUrl, at);
  const [deliveryId, noticeId] = [crypto.randomUUID(), crypto.randomUUID()];
  const message = { messageId: deliveryId, items: [{ noticeId, notice }] } as const;
  const outcome = await sendMessage(settings, message, tools);
  if (outcome.kind === "stopped") throw new InvalidInput("", t("The service is being stopped."));
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
    title: t("Notifications reach {name}", { name }),
    text: t("This is a test. Notifications of alerts will look like it."),
    url: `${baseUrl}/projects/${project.id}/settings/channels/${channelId}`,
    ruleUrl: null,
    ruleName: "",
    facts: [{ label: t("Channel"), value: name }],
    incidentKey: `test/${channelId}/${occurredAt.getTime()}`,
    occurredAt,
    language: currentLanguage(),
  };
}
