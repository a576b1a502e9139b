/** The words of mails to subscribers. */
import { randomHex, sha256 } from "../../accounts/secrets.ts";
import { letterOf, type Mail } from "../../alerts/mod.ts";
import { formatDateTime } from "../../ui/format.ts";
import { type PostUpdate, stateWords, type StatusPost } from "./posts.ts";
import { entryKey, pageUrl, type StatusPage } from "./status_page.ts";

/** Asks whether somebody really wants to be told. */
export function confirmationMail(
  page: StatusPage,
  email: string,
  link: string,
  baseUrl: string,
): Mail {
  return letterOf({
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
  return letterOf({
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
