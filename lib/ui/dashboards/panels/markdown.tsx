/** Markdown that people wrote, as elements: no HTML of theirs, and no addresses but of the web. */
import { fromMarkdown } from "mdast-util-from-markdown";
import type { ComponentChildren } from "preact";

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root["children"][number];

/** Deeper nesting than this is nobody's text. */
const MAX_DEPTH = 16;
/** A line that opens more than sixteen quotes or lists at once: such take the parser seconds. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){17}/m;
/** Headings of the page and of panels come before. */
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

/** A text in Markdown (CommonMark). HTML in it is shown as it is written, and images are links to them. */
export function Markdown({ text }: { readonly text: string }) {
  return <div class="prose-text">{children(parse(text), 0)}</div>;
}

function parse(text: string): Pick<Root, "children"> {
  if (!TOO_DEEP.test(text)) return fromMarkdown(text);
  return { children: [{ type: "paragraph", children: [{ type: "text", value: text }] }] };
}

function children(node: { readonly children: readonly Node[] }, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) return "…";
  return node.children.map((child, index) => <One key={index} node={child} depth={depth + 1} />);
}

function One({ node, depth }: { readonly node: Node; readonly depth: number }) {
  switch (node.type) {
    case "heading": {
      const Heading = HEADINGS[node.depth - 1] ?? "h6";
      return <Heading>{children(node, depth)}</Heading>;
    }
    case "paragraph":
      return <p>{children(node, depth)}</p>;
    case "blockquote":
      return <blockquote>{children(node, depth)}</blockquote>;
    case "list":
      return node.ordered
        ? <ol start={node.start ?? 1}>{children(node, depth)}</ol>
        : <ul>{children(node, depth)}</ul>;
    case "listItem":
      return <li>{children(node, depth)}</li>;
    case "code":
      return (
        <pre tabindex={0} aria-label="Code">
          <code>{node.value}</code>
        </pre>
      );
    case "thematicBreak":
      return <hr />;
    case "emphasis":
      return <em>{children(node, depth)}</em>;
    case "strong":
      return <strong>{children(node, depth)}</strong>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "break":
      return <br />;
    case "link":
      return <WebLink href={node.url}>{children(node, depth)}</WebLink>;
    case "image":
      return <WebLink href={node.url}>{node.alt || node.url}</WebLink>;
    case "text":
    case "html":
      return <>{node.value}</>;
    default:
      // References and their definitions: what they name is shown, not resolved.
      return <>{"children" in node ? children(node, depth) : null}</>;
  }
}

function WebLink({ href, children }: { href: string; children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return <>{children}</>;
  return (
    <a class="link" href={href} rel="noopener noreferrer nofollow" target="_blank">{children}</a>
  );
}
