import { type HttpRequest, jsonRequest } from "./http_outcome.ts";
import { type Message, type Tone, type Wording, wordingOf } from "./message.ts";
import type { ChatHookSettings } from "./settings.ts";

const COLORS: Readonly<Record<Tone, string>> = {
  critical: "Attention",
  warning: "Warning",
  info: "Accent",
  ok: "Good",
};

/** What a Teams workflow posts as an Adaptive Card when it receives a webhook. */
export function teamsRequest({ url }: ChatHookSettings, message: Message): HttpRequest {
  const wording = wordingOf(message);
  return jsonRequest(url, {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: cardOf(wording),
    }],
  });
}

/** Runs of text and not blocks, because blocks read Markdown, and titles come from applications. */
function cardOf({ headline, tone, url, text, facts, entries, rule, projectName }: Wording) {
  const open = url === null ? [] : [openUrl("Open in Watchpost", url)];
  return {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.4",
    msteams: { width: "Full" },
    body: [
      runs({ text: headline, weight: "Bolder", size: "Medium", color: COLORS[tone] }),
      runs({ text: projectName, isSubtle: true }),
      ...text === "" ? [] : [runs({ text })],
      ...facts.map(({ label, value }) =>
        runs({ text: `${label}: `, weight: "Bolder" }, { text: value || "–" })
      ),
      ...entries.map((entry) =>
        runs({ text: entry.headline, selectAction: openUrl("Open", entry.url) })
      ),
    ],
    actions: [...open, ...rule === null ? [] : [openUrl("Open rule", rule.url)]],
  };
}

function runs(...texts: readonly Readonly<Record<string, unknown>>[]) {
  return { type: "RichTextBlock", inlines: texts.map((run) => ({ type: "TextRun", ...run })) };
}

function openUrl(title: string, url: string) {
  return { type: "Action.OpenUrl", title, url };
}
