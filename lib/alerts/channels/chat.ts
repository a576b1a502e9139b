/** A message as each chat takes it. Titles come from applications, so they must neither mention anybody nor mark up. */
import { z } from "zod";
import { t } from "../../core/language/translate.ts";
import {
  cut,
  type Message,
  type Tone,
  UNSEEN,
  withoutMentions,
  type Wording,
  wordingOf,
} from "./message.ts";
import { ENDPOINTS, hookKind, httpKind } from "./kind.ts";
import { type HttpRequest, jsonRequest } from "./post.ts";

const COLORS: Readonly<Record<Tone, string>> = {
  critical: "#c62828",
  warning: "#e08a00",
  info: "#3367d6",
  ok: "#2e7d32",
};

/** Slack's incoming webhooks, and those of Mattermost and Rocket.Chat, which take the same. */
export const slack = hookKind<"slack">({
  label: "Slack",
  summary: "A channel of Slack, Mattermost or Rocket.Chat.",
  help:
    "In Slack: Apps → Incoming Webhooks → Add to Slack, choose the channel, copy the webhook URL. In Mattermost: Integrations → Incoming Webhooks. Rocket.Chat: Workspace → Integrations → Incoming.",
  icon: "feedback",
  placeholder: "https://hooks.slack.com/services/T…/B…/…",
  requestOf: slackRequest,
});

function slackRequest(url: string, message: Message): HttpRequest {
  const wording = wordingOf(message);
  return jsonRequest(url, {
    text: slackLink(wording.headline, wording.url),
    unfurl_links: false,
    attachments: [slackAttachment(wording)],
  });
}

function slackAttachment(wording: Wording) {
  const { headline, tone, text, facts, rule, projectName, occurredAt } = wording;
  const entries = wording.entries.map((entry) => `• ${slackLink(entry.headline, entry.url)}`);
  const more = rule === null ? [] : [t("Rule: {rule}", { rule: slackLink(rule.name, rule.url) })];
  return {
    color: COLORS[tone],
    fallback: tame(headline),
    mrkdwn_in: ["text"],
    text: [...text === "" ? [] : [slackText(text)], ...entries, ...more].join("\n"),
    fields: facts.map(({ label, value }) => ({
      title: slackText(label),
      value: slackText(value),
      short: value.length <= 40,
    })),
    footer: `Watchpost · ${slackText(projectName)}`,
    ts: Math.floor(occurredAt.getTime() / 1_000),
  };
}

function slackLink(text: string, url: string | null): string {
  if (url === null) return slackText(text);
  const address = url.replaceAll("|", "%7C").replaceAll("<", "%3C").replaceAll(">", "%3E");
  return `<${address}|${slackText(text)}>`;
}

/** So that no title mentions a channel or makes a link. */
function slackText(text: string): string {
  return tame(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Mattermost calls everybody at a bare `@all`, and reads Markdown. */
function tame(text: string): string {
  return withoutMentions(text).replaceAll("](", `]${UNSEEN}(`);
}

export const discord = hookKind<"discord">({
  label: "Discord",
  summary: "A text channel of a Discord server.",
  help: "In Discord: Edit Channel → Integrations → Webhooks → New Webhook → Copy Webhook URL.",
  icon: "feedback",
  placeholder: "https://discord.com/api/webhooks/…",
  requestOf: discordRequest,
});

/** Together below the 6,000 characters that Discord takes, with what escaping adds. */
const MAX_TITLE = 256;
const MAX_TEXT = 1_500;
const MAX_DESCRIPTION = 2_000;
const MAX_FIELD_NAME = 100;
const MAX_FIELD_VALUE = 250;

function discordRequest(url: string, message: Message): HttpRequest {
  const { headline, tone, text, facts, entries, rule, ...wording } = wordingOf(message);
  const lines = [
    ...text === "" ? [] : [cut(discordText(text), MAX_TEXT)],
    ...entries.toReversed().map((entry) => `- ${discordLink(entry.headline, entry.url)}`),
    ...rule === null ? [] : [t("Rule: {rule}", { rule: discordLink(rule.name, rule.url) })],
  ];
  return jsonRequest(url, {
    username: "Watchpost",
    // Titles come from applications: they shall call nobody.
    allowed_mentions: { parse: [] },
    embeds: [{
      title: cut(discordText(headline), MAX_TITLE),
      ...wording.url === null ? {} : { url: wording.url },
      description: fitting(lines).join("\n"),
      color: parseInt(COLORS[tone].slice(1), 16),
      fields: facts.map(({ label, value }) => ({
        name: cut(discordText(label), MAX_FIELD_NAME) || "–",
        value: cut(discordText(value), MAX_FIELD_VALUE) || "–",
        inline: value.length <= 40,
      })),
      footer: { text: wording.projectName },
      timestamp: wording.occurredAt.toISOString(),
    }],
  });
}

/** As many of the lines as fit, none of them cut: half a link is none. */
function fitting(lines: readonly string[]): string[] {
  let room = MAX_DESCRIPTION;
  const end = lines.findIndex((line) => (room -= line.length + 1) < 0);
  return end < 0 ? [...lines] : [...lines.slice(0, end), "…"];
}

function discordLink(text: string, url: string): string {
  return `[${discordText(text)}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

function discordText(text: string): string {
  return text.replaceAll(/[\\*_~`|>[\]]/g, "\\$&");
}

export const teams = hookKind<"teams">({
  label: "Microsoft Teams",
  summary: "A channel or chat of Microsoft Teams.",
  help:
    "In Teams: the channel's menu → Workflows → “Send webhook alerts to a channel”, then copy the address that the workflow shows. Addresses of the retired Office connectors do not work.",
  icon: "members",
  placeholder: "https://….logic.azure.com/workflows/…",
  requestOf: teamsRequest,
});

const TEAMS_COLORS: Readonly<Record<Tone, string>> = {
  critical: "Attention",
  warning: "Warning",
  info: "Accent",
  ok: "Good",
};

/** What a Teams workflow posts as an Adaptive Card when it receives a webhook. */
function teamsRequest(url: string, message: Message): HttpRequest {
  const wording = wordingOf(message);
  return jsonRequest(url, {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: teamsCard(wording),
    }],
  });
}

/** Runs of text and not blocks, because blocks read Markdown, and titles come from applications. */
function teamsCard({ headline, tone, url, text, facts, entries, rule, projectName }: Wording) {
  const open = url === null ? [] : [openUrl(t("Open in Watchpost"), url)];
  return {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.4",
    msteams: { width: "Full" },
    body: [
      runs({ text: headline, weight: "Bolder", size: "Medium", color: TEAMS_COLORS[tone] }),
      runs({ text: projectName, isSubtle: true }),
      ...text === "" ? [] : [runs({ text })],
      ...facts.map(({ label, value }) =>
        runs({ text: `${label}: `, weight: "Bolder" }, { text: value || "–" })
      ),
      ...entries.map((entry) =>
        runs({ text: entry.headline, selectAction: openUrl(t("Open@@verb"), entry.url) })
      ),
    ],
    actions: [...open, ...rule === null ? [] : [openUrl(t("Open rule"), rule.url)]],
  };
}

function runs(...texts: readonly Readonly<Record<string, unknown>>[]) {
  return { type: "RichTextBlock", inlines: texts.map((run) => ({ type: "TextRun", ...run })) };
}

function openUrl(title: string, url: string) {
  return { type: "Action.OpenUrl", title, url };
}

interface TelegramSettings {
  readonly type: "telegram";
  /** Of the bot. */
  readonly token: string;
  /** A number, negative for groups, or the `@name` of a public channel. */
  readonly chatId: string;
}

/** Messages of a bot. */
export const telegram = httpKind<TelegramSettings>({
  label: "Telegram",
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
      schema: z.string().regex(
        /^\d{4,20}:[\w-]{20,100}$/,
        { error: () => t("Enter the bot's token, such as 123456789:AAF3kX….") },
      ),
    },
    {
      name: "chatId",
      label: "Chat",
      help: "A number, negative for groups, or @name of a public channel.",
      placeholder: "-1001234567890",
      isSecret: false,
      schema: z.string().regex(
        /^(?:-?\d{1,20}|@\w{4,64})$/,
        { error: () => t("Enter the chat's number, such as -1001234567890, or @name.") },
      ),
      body: z.union([z.string(), z.number().int()]).transform(String),
    },
  ],
  targetOf: ({ token, chatId }) =>
    t("chat {chat} by bot {bot}", { chat: chatId, bot: token.split(":")[0] ?? "" }),
  secretsOf: ({ token }) => [token],
  requestsOf: ({ token, chatId }, message, { endpoints = ENDPOINTS }) => [
    jsonRequest(`${endpoints.telegram}/bot${token}/sendMessage`, {
      chat_id: chatId,
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
      text: telegramHtml(message),
    }),
  ],
});

function telegramHtml(message: Message): string {
  const { headline, url, text, facts, entries, rule, projectName } = wordingOf(message);
  const lines = [
    `<b>${url === null ? telegramText(headline) : telegramLink(headline, url)}</b>`,
    telegramText(projectName),
    ...text === "" ? [] : ["", telegramText(text)],
    ...facts.map(({ label, value }) => `${telegramText(label)}: ${telegramText(value)}`),
    ...entries.map((entry) => `• ${telegramLink(entry.headline, entry.url)}`),
    ...rule === null ? [] : ["", t("Rule: {rule}", { rule: telegramLink(rule.name, rule.url) })],
  ];
  return lines.join("\n");
}

function telegramLink(text: string, url: string): string {
  const address = url.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  return `<a href="${address}">${telegramText(text)}</a>`;
}

function telegramText(text: string): string {
  return withoutMentions(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
