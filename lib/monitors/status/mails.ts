/** The words of mails to subscribers. */
import { randomHex, sha256 } from "../../accounts/secrets.ts";
import type { Mail } from "../../alerts/mod.ts";
import { formatDateTime } from "../../ui/format.ts";
import { escape } from "./escape.ts";
import { type PostUpdate, stateWords, type StatusPost } from "./posts.ts";
import { entryKey, pageUrl, type StatusPage } from "./status_page.ts";

/** Asks whether somebody really wants to be told. */
export function confirmationMail(
  page: StatusPage,
  email: string,
  link: string,
  baseUrl: string,
): Mail {
  return mailOf({
    to: email,
    subject: `Confirm: updates from ${page.title}`,
    blocks: [
      `Somebody, hopefully you, asked for mails about incidents and maintenance of ${page.title}.`,
      "Open this link within two days to get them. If it was not you, do nothing: no more mails come.",
    ],
    link: { label: "Confirm", url: link },
    id: randomHex(16),
    baseUrl,
    unsubscribe: null,
  });
}

/**
 * Tells of an update.
 *
 * @param unsubscribe the link that ends the subscription
 */
export function updateMail(
  page: StatusPage,
  post: StatusPost,
  update: PostUpdate,
  email: string,
  unsubscribe: string,
  baseUrl: string,
): Mail {
  const names = page.entries.filter((entry) => post.entries.includes(entryKey(entry)))
    .map(({ name }) => name);
  const times = post.endsAt === null
    ? []
    : [`From ${formatDateTime(post.startsAt)} to ${formatDateTime(post.endsAt)}`];
  return mailOf({
    to: email,
    subject: `${stateWords(update.state)}: ${post.title} · ${page.title}`,
    blocks: [
      `${stateWords(update.state)}: ${post.title}`,
      update.text,
      [
        ...times,
        ...names.length === 0 ? [] : [`About: ${names.join(", ")}`],
        `Written ${formatDateTime(update.at)}`,
      ].join("\n"),
    ],
    link: { label: "Status page", url: `${pageUrl(baseUrl, page)}#${post.postId}` },
    // The same mail has the same id, however often it is tried.
    id: sha256(`${update.updateId}/${email}`).slice(0, 32),
    thread: sha256(post.postId).slice(0, 32),
    baseUrl,
    unsubscribe,
  });
}

interface Wording {
  readonly to: string;
  readonly subject: string;
  readonly blocks: readonly string[];
  readonly link: { readonly label: string; readonly url: string };
  readonly id: string;
  readonly thread?: string;
  readonly baseUrl: string;
  readonly unsubscribe: string | null;
}

function mailOf({ to, subject, blocks, link, id, thread, baseUrl, unsubscribe }: Wording): Mail {
  const { hostname } = new URL(baseUrl);
  const ending = unsubscribe === null ? [] : [`No more of these mails: ${unsubscribe}`];
  return {
    to: [to],
    subject,
    text: `${[...blocks, link.url, ...ending].join("\n\n")}\n`,
    html: [
      '<!doctype html><html><body style="font-family:sans-serif;font-size:15px;line-height:1.5">',
      ...blocks.map((block) => `<p style="white-space:pre-line">${escape(block)}</p>`),
      `<p><a href="${escape(link.url)}">${escape(link.label)}</a></p>`,
      ...unsubscribe === null ? [] : [
        `<p style="font-size:13px"><a href="${escape(unsubscribe)}">No more of these mails</a></p>`,
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
