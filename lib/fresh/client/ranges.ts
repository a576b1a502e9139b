import type { ContainerNode } from "preact";

/** What the server has marked: the nodes between `start` and `end`. */
export interface Range {
  kind: "island" | "slot";
  /** The island's name, or the slot's number. */
  name: string;
  propsIndex: number;
  start: Text;
  end: Text;
  /** Whether it is not inside another range; then it is an island. */
  isOutermost: boolean;
}

const byStart = new WeakMap<Node, Range>();

/** The range that starts at a node. */
export function rangeAt(node: Node): Range | undefined {
  return byStart.get(node);
}

/** Finds the marked ranges below a node, outer ones before those inside them. */
export function findRanges(root: Node): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const comments: Comment[] = [];
  while (walker.nextNode()) comments.push(walker.currentNode as Comment);

  const found: Range[] = [];
  const open: Range[] = [];
  for (const comment of comments) {
    const [tag, kind, name = "", index] = comment.data.split(":");
    if (tag === "frsh") {
      const start = toText(comment);
      const position = { start, end: start, isOutermost: open.length === 0 };
      const range = { kind: kind as Range["kind"], name, propsIndex: Number(index), ...position };
      byStart.set(start, range);
      found.push(range);
      open.push(range);
    } else if (tag === "/frsh") {
      const range = open.pop();
      if (range !== undefined) range.end = toText(comment);
    }
  }
  return found;
}

/** Preact steps over comments when it looks for the next sibling, so it would run past the end. */
function toText(comment: Comment): Text {
  const text = new Text();
  comment.replaceWith(text);
  return text;
}

/** Makes a range into something that Preact can render into, as if it were an element. */
export function asContainer({ start, end }: Range): ContainerNode {
  const parent = start.parentNode as Element;
  const children = (): Node[] => {
    const nodes: Node[] = [];
    for (let node = start.nextSibling; node && node !== end; node = node.nextSibling) {
      nodes.push(node);
    }
    return nodes;
  };

  return {
    nodeType: Node.ELEMENT_NODE,
    parentNode: parent,
    namespaceURI: parent.namespaceURI,
    get firstChild() {
      return children()[0] ?? null;
    },
    get childNodes() {
      return children();
    },
    contains: (node: Node | null) => children().some((child) => child.contains(node)),
    insertBefore: (node: Node, next: Node | null) => parent.insertBefore(node, next ?? end),
    appendChild: (node: Node) => parent.insertBefore(node, end),
    removeChild: (node: Node) => parent.removeChild(node),
  } as ContainerNode;
}
