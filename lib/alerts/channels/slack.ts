/** Slack's incoming webhooks, and those of Mattermost and Rocket.Chat, which take the same. */
import { type HttpRequest, jsonRequest } from "./http_outcome.ts";
import {
  type Message,
  type Tone,
  UNSEEN,
  withoutMentions,
  type Wording,
  wordingOf,
} from "./message.ts";
import type { ChatHookSettings } from "./settings.ts";

const COLORS: Readonly<Record<Tone, string>> = {
  critical: "#c62828",
  warning: "#e08a00",
  info: "#3367d6",
  ok: "#2e7d32",
};

export function slackRequest({ url }: ChatHookSettings, message: Message): HttpRequest {
  const wording = wordingOf(message);
  return jsonRequest(url, {
    text: link(wording.headline, wording.url),
    unfurl_links: false,
    attachments: [attachment(wording)],
  });
}

function attachment(wording: Wording) {
  const { headline, tone, text, facts, rule, projectName, occurredAt } = wording;
  const entries = wording.entries.map((entry) => `• ${link(entry.headline, entry.url)}`);
  const more = rule === null ? [] : [`Rule: ${link(rule.name, rule.url)}`];
  return {
    color: COLORS[tone],
    fallback: tame(headline),
    mrkdwn_in: ["text"],
    text: [...text === "" ? [] : [escape(text)], ...entries, ...more].join("\n"),
    fields: facts.map(({ label, value }) => ({
      title: escape(label),
      value: escape(value),
      short: value.length <= 40,
    })),
    footer: `Watchpost · ${escape(projectName)}`,
    ts: Math.floor(occurredAt.getTime() / 1_000),
  };
}

function link(text: string, url: string | null): string {
  if (url === null) return escape(text);
  const address = url.replaceAll("|", "%7C").replaceAll("<", "%3C").replaceAll(">", "%3E");
  return `<${address}|${escape(text)}>`;
}

/** So that no title mentions a channel or makes a link. */
function escape(text: string): string {
  return tame(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Mattermost calls everybody at a bare `@all`, and reads Markdown. */
function tame(text: string): string {
  return withoutMentions(text).replaceAll("](", `]${UNSEEN}(`);
}
