import { sha256 } from "../../accounts/secrets.ts";
import type { Mail } from "./smtp.ts";
import { type Message, type Wording, wordingOf } from "./message.ts";
import type { EmailSettings } from "./settings.ts";

/**
 * A message as mail.
 *
 * @param host of this service's own address: the right half of message ids
 */
export function mailOf({ addresses }: EmailSettings, message: Message, host: string): Mail {
  const wording = wordingOf(message);
  const [{ notice }] = message.items;
  const thread = `<${sha256(`${notice.projectId}/${notice.incidentKey}`).slice(0, 32)}@${host}>`;
  return {
    to: addresses,
    subject: `${wording.headline} · ${wording.projectName}`,
    text: textOf(wording),
    html: htmlOf(wording),
    messageId: `<${message.messageId}@${host}>`,
    // What is about one incident stands together, though no mail has this id.
    references: message.items.length === 1 ? thread : null,
  };
}

function textOf({ headline, url, text, facts, entries, rule, projectName, occurredAt }: Wording) {
  const blocks = [
    headline,
    ...text === "" ? [] : [text],
    ...facts.length === 0 ? [] : [facts.map(({ label, value }) => `${label}: ${value}`).join("\n")],
    ...entries.map((entry) => `${entry.headline}\n${entry.url}`),
    ...url === null ? [] : [url],
    [
      `Project: ${projectName}`,
      `Time: ${occurredAt.toISOString()}`,
      ...rule === null ? [] : [`Rule: ${rule.name}, ${rule.url}`],
    ].join("\n"),
  ];
  return `${blocks.join("\n\n")}\n`;
}

const COLORS = { critical: "#c62828", warning: "#b36b00", info: "#2456b8", ok: "#22702a" } as const;

function htmlOf({ headline, tone, url, text, facts, entries, rule, ...rest }: Wording): string {
  const rows = facts.map(({ label, value }) =>
    `<tr><td style="padding:2px 16px 2px 0;color:#666">${escape(label)}</td><td>${
      escape(value)
    }</td></tr>`
  );
  const items = entries.map((entry) => `<li>${link(entry.headline, entry.url)}</li>`);
  const footer = [
    escape(rest.projectName),
    rest.occurredAt.toISOString(),
    ...rule === null ? [] : [`Rule ${link(rule.name, rule.url)}`],
  ];
  return [
    '<!doctype html><html><body style="font-family:sans-serif;font-size:15px;line-height:1.5">',
    `<h1 style="font-size:18px;color:${COLORS[tone]}">${escape(headline)}</h1>`,
    ...text === "" ? [] : [`<p style="white-space:pre-line">${escape(text)}</p>`],
    ...rows.length === 0
      ? []
      : [`<table style="border-collapse:collapse">${rows.join("")}</table>`],
    ...items.length === 0 ? [] : [`<ul>${items.join("")}</ul>`],
    ...url === null ? [] : [`<p>${link("Open in Watchpost", url)}</p>`],
    `<p style="font-size:13px;color:#666">${footer.join(" · ")}</p>`,
    "</body></html>",
  ].join("\n");
}

function link(text: string, url: string): string {
  return `<a href="${escape(url)}">${escape(text)}</a>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
