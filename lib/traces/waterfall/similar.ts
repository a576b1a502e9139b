import { inPreOrder, spanOver, type TreeNode } from "./span_tree.ts";

/** From so many on, siblings that are alike share a row until somebody asks for them. */
export const SIMILAR_FROM = 5;
/** Characters of a title by which spans are compared. */
const COMPARED = 200;

const QUOTED = /'[^']*'|"[^"]*"/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
/** Decimal, or enough hex digits to be an id. */
const NUMBER = /\b(?:0x)?[0-9a-f]{8,}\b|\d+(?:\.\d+)?/gi;
/** What is left of `1, 2, 3` and of `$1, $2, $3`. */
const LIST = /(\$?\*)(?:,\s*\$?\*)+/g;

/** Puts siblings that do the same under a node of their own, in the place of the first. Children are by start. */
export function groupSimilar(roots: readonly TreeNode[]): readonly TreeNode[] {
  // The same titles come again and again.
  const patterns = new Map<string, string>();
  // The list is made before the groups are: they would be looked into as well.
  for (const node of inPreOrder(roots)) node.children = grouped(node.children, patterns);
  return grouped(roots, patterns);
}

/** What titles of one kind of work have in common: `GET /users/7` and `GET /users/8` are `GET /users/*`. */
export function titlePattern(title: string): string {
  return title.slice(0, COMPARED)
    .replace(QUOTED, "*")
    .replace(UUID, "*")
    .replace(NUMBER, "*")
    .replace(LIST, "$1");
}

function grouped(siblings: readonly TreeNode[], patterns: Map<string, string>): TreeNode[] {
  if (siblings.length < SIMILAR_FROM) return [...siblings];
  const alike = new Map<string, TreeNode[]>();
  const kinds = siblings.map((node) => kindOf(node, patterns));
  for (const [index, node] of siblings.entries()) {
    const kind = kinds[index] ?? null;
    if (kind === null) continue;
    const others = alike.get(kind);
    if (others) others.push(node);
    else alike.set(kind, [node]);
  }
  return siblings.flatMap((node, index) => {
    const members = alike.get(kinds[index] ?? "") ?? [];
    if (members.length < SIMILAR_FROM) return [node];
    return members[0] === node ? [groupOf(members, node)] : [];
  });
}

function kindOf({ span }: TreeNode, patterns: Map<string, string>): string | null {
  if (span === null) return null;
  const pattern = patterns.get(span.title) ?? titlePattern(span.title);
  patterns.set(span.title, pattern);
  return JSON.stringify([span.service, span.op, pattern]);
}

function groupOf(members: TreeNode[], first: TreeNode): TreeNode {
  const node: TreeNode = {
    kind: "group",
    key: `group-${first.key}`,
    span: first.span,
    children: members,
    start: 0,
    end: 0,
    shift: first.shift,
    selfMs: null,
    critical: members.flatMap(({ critical }) => critical),
  };
  spanOver(node);
  return node;
}
