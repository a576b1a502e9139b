import type { CallTree } from "../trees/stack_profile.ts";
import { preorder } from "../trees/tree_order.ts";
import { depthsOf } from "../trees/flame_nodes.ts";
import { TREE_LIMITS } from "../trees/tree_limits.ts";
import { boundedStacks, tooLarge } from "./export_size.ts";

/**
 * Stacks as lines of text, `main;handle;read 42`: the outermost function first, then the value. What other tools take
 * for the end of a name is written otherwise: `;` as `:`, the end of a line as a blank.
 *
 * @throws {ExportTooLarge} when it would be more than 64 MB
 */
export function toCollapsed(tree: CallTree, maxText: number = TREE_LIMITS.exportedText): string {
  const { parents, nodeFrames, selfs } = tree;
  boundedStacks(tree, (node) => selfs[node] !== 0n);
  const names = tree.frames.map(({ name }) => name.replaceAll(";", ":").replace(/[\r\n]+/g, " "));
  const depths = depthsOf(parents);
  const path: string[] = [];
  const lines: string[] = [];
  let length = 0;
  for (const node of preorder(parents)) {
    if (node === 0) continue;
    const depth = depths[node] as number;
    path.length = depth - 1;
    path.push(names[nodeFrames[node] as number] as string);
    const self = selfs[node] as bigint;
    if (self === 0n) continue;
    const line = `${path.join(";")} ${self}\n`;
    length += line.length;
    if (length > maxText) throw tooLarge(`${maxText.toLocaleString("en")} characters`);
    lines.push(line);
  }
  return lines.join("");
}
