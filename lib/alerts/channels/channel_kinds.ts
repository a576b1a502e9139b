/** What each type of channel asks for, and where people find it. */
import type { ChannelType } from "./channels.ts";
import type { SettingsInput } from "./check_settings.ts";
import type { IconName } from "../../ui/components/icon.tsx";

export interface ChannelField {
  readonly name: keyof SettingsInput;
  readonly label: string;
  readonly help: string;
  readonly placeholder: string;
  /** Never shown again; empty keeps it. */
  readonly isSecret: boolean;
  /** Several lines. */
  readonly rows?: number;
}

export interface ChannelKind {
  /** One line for the choice of a type. */
  readonly summary: string;
  /** Where to find what the form asks for. */
  readonly help: string;
  readonly icon: IconName;
  readonly fields: readonly ChannelField[];
}

function hookField(help: string, placeholder: string): ChannelField {
  return { name: "url", label: "Webhook address", help, placeholder, isSecret: true };
}

export const CHANNEL_KINDS: Readonly<Record<ChannelType, ChannelKind>> = {
  email: {
    summary: "Mail to one or more addresses.",
    help: "Goes out through the mail server of this instance.",
    icon: "feedback",
    fields: [{
      name: "addresses",
      label: "Mail addresses",
      help: "One a line, at most 20. Everybody sees who else has it.",
      placeholder: "oncall@example.com",
      isSecret: false,
      rows: 3,
    }],
  },
  slack: {
    summary: "A channel of Slack, Mattermost or Rocket.Chat.",
    help:
      "In Slack: Apps → Incoming Webhooks → Add to Slack, choose the channel, copy the webhook URL. In Mattermost: Integrations → Incoming Webhooks. Rocket.Chat: Workspace → Integrations → Incoming.",
    icon: "feedback",
    fields: [
      hookField(
        "Whoever has it can post to the channel, so it is kept sealed.",
        "https://hooks.slack.com/services/T…/B…/…",
      ),
    ],
  },
  teams: {
    summary: "A channel or chat of Microsoft Teams.",
    help:
      "In Teams: the channel's menu → Workflows → “Send webhook alerts to a channel”, then copy the address that the workflow shows. Addresses of the retired Office connectors do not work.",
    icon: "members",
    fields: [
      hookField(
        "Whoever has it can post to the channel, so it is kept sealed.",
        "https://….logic.azure.com/workflows/…",
      ),
    ],
  },
  discord: {
    summary: "A text channel of a Discord server.",
    help: "In Discord: Edit Channel → Integrations → Webhooks → New Webhook → Copy Webhook URL.",
    icon: "feedback",
    fields: [
      hookField(
        "Whoever has it can post to the channel, so it is kept sealed.",
        "https://discord.com/api/webhooks/…",
      ),
    ],
  },
  telegram: {
    summary: "A chat, group or channel of Telegram, by a bot.",
    help:
      "Write /newbot to @BotFather for a token and add the bot to the chat. A group's number is in the answer of https://api.telegram.org/bot<token>/getUpdates after somebody wrote there.",
    icon: "feedback",
    fields: [
      {
        name: "token",
        label: "Token of the bot",
        help: "As BotFather shows it.",
        placeholder: "123456789:AAF3kX…",
        isSecret: true,
      },
      {
        name: "chatId",
        label: "Chat",
        help: "A number, negative for groups, or @name of a public channel.",
        placeholder: "-1001234567890",
        isSecret: false,
      },
    ],
  },
  pagerduty: {
    summary: "Incidents of a PagerDuty service, opened and resolved.",
    help:
      "In PagerDuty: Services → the service → Integrations → Add an integration → Events API V2, then copy its integration key.",
    icon: "alerts",
    fields: [{
      name: "routingKey",
      label: "Integration key",
      help: "32 letters and digits.",
      placeholder: "R0…",
      isSecret: true,
    }],
  },
  webhook: {
    summary: "A signed JSON request to a program of yours.",
    help:
      "Each notice is posted as JSON with a signature. The README has the shape of the body and how to check the signature.",
    icon: "endpoints",
    fields: [
      hookField(
        "It has ten seconds to answer with 2xx. After 408, 429 and 5xx it is tried again for hours.",
        "https://ops.example.com/watchpost",
      ),
    ],
  },
};
