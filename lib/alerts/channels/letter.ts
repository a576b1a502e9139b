import { t } from "../../core/language/translate.ts";
import { escape } from "../../core/escape.ts";
import type { Mail } from "./email.ts";

/** A mail to one person, in plain paragraphs. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  /** Paragraphs; lines stay lines. */
  readonly blocks: readonly string[];
  readonly link: { readonly label: string; readonly url: string };
  /** The same for the same mail, however often it is tried: 32 hex digits. */
  readonly id: string;
  /** Of the conversation that it belongs to: 32 hex digits. */
  readonly thread?: string;
  readonly baseUrl: string;
  /** The link that ends such mails with one request, without signing in; null: there is none. */
  readonly unsubscribe: string | null;
  /** The last line: where such mails are switched off, for instance. */
  readonly footer?: string;
}

/** Writes a letter as a mail, in text and HTML. */
export function letterOf(
  { to, subject, blocks, link, id, thread, baseUrl, unsubscribe, footer }: Letter,
): Mail {
  const { hostname } = new URL(baseUrl);
  const ending = [
    ...footer === undefined ? [] : [footer],
    ...unsubscribe === null ? [] : [t("Unsubscribe: {url}", { url: unsubscribe })],
  ];
  return {
    to: [to],
    subject,
    text: `${[...blocks, link.url, ...ending].join("\n\n")}\n`,
    html: [
      '<!doctype html><html><body style="font-family:sans-serif;font-size:15px;line-height:1.5">',
      ...blocks.map((block) => `<p style="white-space:pre-line">${escape(block)}</p>`),
      `<p><a href="${escape(link.url)}">${escape(link.label)}</a></p>`,
      ...footer === undefined ? [] : [`<p style="font-size:13px;color:#666">${escape(footer)}</p>`],
      ...unsubscribe === null ? [] : [
        `<p style="font-size:13px"><a href="${escape(unsubscribe)}">${
          escape(t("Unsubscribe"))
        }</a></p>`,
      ],
      "</body></html>",
    ].join("\n"),
    messageId: `<${id}@${hostname}>`,
    references: thread === undefined ? null : `<${thread}@${hostname}>`,
    ...unsubscribe !== null && {
      headers: {
        "list-unsubscribe": `<${unsubscribe}>`,
        // RFC 8058: mail programs end it with one POST.
        "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      },
    },
  };
}
