/** The words of mails to subscribers. */
import { t } from "../../core/language/translate.ts";
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
    subject: t("Confirm: updates from {page}", { page: page.title }),
    blocks: [
      t(
        "Somebody, hopefully you, asked for emails about incidents and maintenance of {page}.",
        { page: page.title },
      ),
      t(
        "Open this link within two days to get them. If it was not you, do nothing: no more emails come.",
      ),
    ],
    link: { label: t("Confirm@@subscription"), url: link },
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
  const times = post.endsAt === null ? [] : [
    t("From {start} to {end}", {
      start: formatDateTime(post.startsAt),
      end: formatDateTime(post.endsAt),
    }),
  ];
  return letterOf({
    to: email,
    subject: `${stateWords(update.state)}: ${post.title} · ${page.title}`,
    blocks: [
      `${stateWords(update.state)}: ${post.title}`,
      update.text,
      [
        ...times,
        ...names.length === 0 ? [] : [t("Affected: {services}", { services: names.join(", ") })],
        t("Posted {time}", { time: formatDateTime(update.at) }),
      ].join("\n"),
    ],
    link: { label: t("Status page"), url: `${pageUrl(baseUrl, page)}#${post.postId}` },
    // The same mail has the same id, however often it is tried.
    id: sha256(`${update.updateId}/${email}`).slice(0, 32),
    thread: sha256(post.postId).slice(0, 32),
    baseUrl,
    unsubscribe,
  });
}
