/** Markdown that people wrote, as elements: no HTML of theirs, and no addresses but of the web. */
import { t } from "../core/language/translate.ts";
import MarkdownIt, { type Token } from "markdown-it";
import type { ComponentChildren, JSX } from "preact";

/** Deeper nesting than this is nobody's text. */
const MAX_DEPTH = 16;
/** A line that opens more than sixteen quotes or lists at once: the parser would leave out what they hold. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){17}/m;
/** Headings of the page and of panels come before. */
const HEADINGS: Readonly<Record<string, "h3" | "h4" | "h5" | "h6">> = {
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
  h6: "h6",
};

/**
 * Takes time in proportion to the text, whatever is in it: 10,000 characters at most 15 ms. Definitions of references
 * are not read, since a short name would repeat a long address any number of times.
 */
const parser = new MarkdownIt("commonmark", { html: false }).disable("reference");
// Which addresses become links is decided where they do.
parser.validateLink = () => true;

/** A text in Markdown (CommonMark). HTML in it is shown as it is written, and images are links to them. */
export function Markdown({ text }: { readonly text: string }) {
  const content = TOO_DEEP.test(text) ? <p>{text}</p> : elementsOf(parser.parse(text, {}));
  return <div class="prose-text">{content}</div>;
}

/** What is open at a place of the text. */
interface Open {
  readonly token: Token;
  readonly children: ComponentChildren[];
}

/** Tokens stand one behind the other, those that open and close something around those in it. */
function elementsOf(tokens: readonly Token[]): ComponentChildren[] {
  const top: ComponentChildren[] = [];
  const open: Open[] = [];
  for (const token of tokens) {
    const siblings = open.at(-1)?.children ?? top;
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === 0) siblings.push(leaf(token));
    else {
      const closed = open.pop();
      if (closed === undefined) continue;
      const isTooDeep = open.length >= MAX_DEPTH;
      (open.at(-1)?.children ?? top).push(
        isTooDeep ? "…" : element(closed.token, closed.children),
      );
    }
  }
  return top;
}

function element(token: Token, children: ComponentChildren[]): ComponentChildren {
  switch (token.type) {
    case "heading_open": {
      const Heading = HEADINGS[token.tag] ?? "h6";
      return <Heading>{children}</Heading>;
    }
    case "paragraph_open":
      return <p>{children}</p>;
    case "blockquote_open":
      return <blockquote>{children}</blockquote>;
    case "ordered_list_open":
      return <ol start={Number(token.attrGet("start") ?? 1)}>{children}</ol>;
    case "bullet_list_open":
      return <ul>{children}</ul>;
    case "list_item_open":
      return <li>{children}</li>;
    case "em_open":
      return <em>{children}</em>;
    case "strong_open":
      return <strong>{children}</strong>;
    case "link_open":
      return webLink(token.attrGet("href"), children);
    default:
      return <>{children}</>;
  }
}

function leaf(token: Token): ComponentChildren {
  switch (token.type) {
    case "inline":
      return elementsOf(token.children ?? []);
    case "code_block":
    case "fence":
      return (
        <pre tabindex={0} aria-label={t("Code")}>
          <code>{token.content.replace(/\n$/, "")}</code>
        </pre>
      );
    case "hr":
      return <hr />;
    case "code_inline":
      return <code>{token.content}</code>;
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br />;
    case "image":
      return webLink(token.attrGet("src"), token.content || token.attrGet("src"));
    default:
      return token.content;
  }
}

function webLink(
  address: string | number | null,
  children: ComponentChildren,
): JSX.Element {
  const href = String(address ?? "");
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return <>{children}</>;
  return (
    <a class="link" href={href} rel="noopener noreferrer nofollow" target="_blank">{children}</a>
  );
}
