import { type HttpRequest, jsonRequest } from "./http_outcome.ts";
import { cut, type Message, type Tone, wordingOf } from "./message.ts";
import type { ChatHookSettings } from "./settings.ts";

const COLORS: Readonly<Record<Tone, number>> = {
  critical: 0xc62828,
  warning: 0xe08a00,
  info: 0x3367d6,
  ok: 0x2e7d32,
};
/** Together below the 6,000 characters that Discord takes, with what escaping adds. */
const MAX_TITLE = 256;
const MAX_TEXT = 1_500;
const MAX_DESCRIPTION = 2_000;
const MAX_FIELD_NAME = 100;
const MAX_FIELD_VALUE = 250;

export function discordRequest({ url }: ChatHookSettings, message: Message): HttpRequest {
  const { headline, tone, text, facts, entries, rule, ...wording } = wordingOf(message);
  const lines = [
    ...text === "" ? [] : [cut(escape(text), MAX_TEXT)],
    ...entries.toReversed().map((entry) => `- ${link(entry.headline, entry.url)}`),
    ...rule === null ? [] : [`Rule: ${link(rule.name, rule.url)}`],
  ];
  return jsonRequest(url, {
    username: "Watchpost",
    // Titles come from applications: they shall call nobody.
    allowed_mentions: { parse: [] },
    embeds: [{
      title: cut(escape(headline), MAX_TITLE),
      ...wording.url === null ? {} : { url: wording.url },
      description: fitting(lines).join("\n"),
      color: COLORS[tone],
      fields: facts.map(({ label, value }) => ({
        name: cut(escape(label), MAX_FIELD_NAME) || "–",
        value: cut(escape(value), MAX_FIELD_VALUE) || "–",
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

function link(text: string, url: string): string {
  return `[${escape(text)}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

function escape(text: string): string {
  return text.replaceAll(/[\\*_~`|>[\]]/g, "\\$&");
}
