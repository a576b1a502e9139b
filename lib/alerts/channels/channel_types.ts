/** All types of channels. A new one is an entry here, with its file beside. */
import { discord, slack, teams, telegram } from "./chat.ts";
import { email } from "./email.ts";
import { pagerduty, webhook } from "./hooks.ts";
import { owners } from "./owners.ts";
import type { ChannelField, ChannelKind, SendTools } from "./kind.ts";
import type { Message } from "./message.ts";
import type { Outcome } from "./post.ts";

/** In the order in which they are offered. */
const KINDS = { email, owners, slack, teams, discord, telegram, pagerduty, webhook };

export type ChannelType = keyof typeof KINDS;

type SettingsOf<Kind> = Kind extends ChannelKind<infer Settings> ? Settings : never;
/** What a channel needs to know to send, with its secrets. */
export type ChannelSettings = SettingsOf<(typeof KINDS)[ChannelType]>;

export const CHANNEL_KINDS: Readonly<Record<ChannelType, ChannelKind<ChannelSettings>>> = KINDS;
export const CHANNEL_TYPES = Object.keys(KINDS) as ChannelType[];

/** The fields of all types, by name. */
export const CHANNEL_FIELDS: ReadonlyMap<string, ChannelField> = new Map(
  Object.values(CHANNEL_KINDS).flatMap(({ fields }) => fields.map((field) => [field.name, field])),
);

/** Makes one attempt to send; never throws for what a receiver does. */
export function sendMessage(
  settings: ChannelSettings,
  message: Message,
  tools: SendTools,
): Promise<Outcome> {
  return CHANNEL_KINDS[settings.type].send(settings, message, tools);
}
