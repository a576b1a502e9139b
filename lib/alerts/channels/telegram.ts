import { type HttpRequest, jsonRequest } from "./http_outcome.ts";
import { type Message, withoutMentions, wordingOf } from "./message.ts";
import type { TelegramSettings } from "./settings.ts";

/**
 * A message of a bot.
 *
 * @param endpoint `https://api.telegram.org`, or what stands in for it in tests
 */
export function telegramRequest(
  endpoint: string,
  { token, chatId }: TelegramSettings,
  message: Message,
): HttpRequest {
  return jsonRequest(`${endpoint}/bot${token}/sendMessage`, {
    chat_id: chatId,
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
    text: htmlOf(message),
  });
}

function htmlOf(message: Message): string {
  const { headline, url, text, facts, entries, rule, projectName } = wordingOf(message);
  const lines = [
    `<b>${url === null ? escape(headline) : link(headline, url)}</b>`,
    escape(projectName),
    ...text === "" ? [] : ["", escape(text)],
    ...facts.map(({ label, value }) => `${escape(label)}: ${escape(value)}`),
    ...entries.map((entry) => `• ${link(entry.headline, entry.url)}`),
    ...rule === null ? [] : ["", `Rule: ${link(rule.name, rule.url)}`],
  ];
  return lines.join("\n");
}

function link(text: string, url: string): string {
  const address = url.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  return `<a href="${address}">${escape(text)}</a>`;
}

function escape(text: string): string {
  return withoutMentions(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
