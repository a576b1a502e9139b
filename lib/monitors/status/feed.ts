/** The status page as RSS 2.0: an item for each update. */
import { currentLanguage, t } from "../../core/language/translate.ts";
import { escape } from "../../core/escape.ts";
import { stateWords } from "./posts.ts";
import type { StatusView } from "./view.ts";

const MAX_ITEMS = 50;

export function feedOf({ page, url, open, upcoming, past }: StatusView): string {
  const items = [...open, ...upcoming, ...past]
    .flatMap((post) => post.updates.map((update) => ({ post, update })))
    .sort((a, b) => b.update.at.getTime() - a.update.at.getTime())
    .slice(0, MAX_ITEMS);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>',
    element("title", page.title),
    element("link", url),
    `<atom:link href="${escape(`${url}/feed.xml`)}" rel="self" type="application/rss+xml"/>`,
    element("description", t("Incidents and maintenance of {page}", { page: page.title })),
    element("language", currentLanguage()),
    element("ttl", "1"),
    ...items.map(({ post, update }) =>
      [
        "<item>",
        element("title", `${stateWords(update.state)}: ${post.title}`),
        element("link", `${url}#${post.postId}`),
        `<guid isPermaLink="false">${update.updateId}</guid>`,
        element("pubDate", update.at.toUTCString()),
        element("description", update.text),
        "</item>",
      ].join("")
    ),
    "</channel></rss>",
  ].join("\n");
}

function element(name: string, text: string): string {
  return `<${name}>${escape(text)}</${name}>`;
}
