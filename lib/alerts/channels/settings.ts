/** What a channel needs to know to send, with its secrets. */
import type { ChannelType } from "./channels.ts";

export interface EmailSettings {
  readonly type: "email";
  readonly addresses: readonly string[];
}

/** Services that take a message at an address which is the secret itself. */
export interface ChatHookSettings {
  readonly type: "slack" | "teams" | "discord";
  readonly url: string;
}

export interface TelegramSettings {
  readonly type: "telegram";
  /** Of the bot. */
  readonly token: string;
  /** A number, negative for groups, or the `@name` of a public channel. */
  readonly chatId: string;
}

export interface PagerDutySettings {
  readonly type: "pagerduty";
  readonly routingKey: string;
}

export interface WebhookSettings {
  readonly type: "webhook";
  readonly url: string;
  /** Signs the body. */
  readonly secret: string;
}

export type ChannelSettings =
  | EmailSettings
  | ChatHookSettings
  | TelegramSettings
  | PagerDutySettings
  | WebhookSettings;

const MAX_TARGET_LENGTH = 200;

/** Where a channel leads as far as it may be shown to whoever reads the project. */
export function targetOf(settings: ChannelSettings): string {
  switch (settings.type) {
    case "email":
      return settings.addresses.join(", ").slice(0, MAX_TARGET_LENGTH);
    case "telegram":
      return `chat ${settings.chatId} by bot ${settings.token.split(":")[0]}`;
    case "pagerduty":
      return `key …${settings.routingKey.slice(-4)}`;
    default:
      return maskedUrl(settings.url);
  }
}

/** Texts that no answer, log line or page may repeat. */
export function secretsOf(settings: ChannelSettings): readonly string[] {
  switch (settings.type) {
    case "email":
      return [];
    case "telegram":
      return [settings.token];
    case "pagerduty":
      return [settings.routingKey];
    case "webhook":
      return [settings.secret, ...secretParts(settings.url)];
    default:
      return secretParts(settings.url);
  }
}

export const CHANNEL_TYPE_NAMES: Readonly<Record<ChannelType, string>> = {
  email: "E-mail",
  slack: "Slack",
  teams: "Microsoft Teams",
  discord: "Discord",
  telegram: "Telegram",
  pagerduty: "PagerDuty",
  webhook: "Webhook",
};

function maskedUrl(text: string): string {
  const { host, pathname, search } = new URL(text);
  const rest = pathname + search;
  return rest.length > 12 ? `${host}/…${rest.slice(-4)}` : `${host}/…`;
}

/** A server may repeat the address, or the part of it that it knows. */
function secretParts(text: string): string[] {
  const { href, pathname, search } = new URL(text);
  const parts = [href, pathname + search, pathname, ...pathname.split("/"), search.slice(1)];
  return [text, ...parts].filter((part) => part.length >= 8);
}
