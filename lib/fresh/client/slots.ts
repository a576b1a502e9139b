import { type ComponentChild, h, type VNode } from "preact";
import { type Range, rangeAt } from "./ranges.ts";

/** Reads what the server has rendered back into elements, islands among it included. */
export function toVNodes(
  first: Node | null,
  end: Node | null,
  toIsland: (range: Range) => VNode,
): ComponentChild[] {
  const children: ComponentChild[] = [];
  for (let node = first; node !== null && node !== end; node = node.nextSibling) {
    const range = rangeAt(node);
    if (range?.kind === "island") {
      children.push(toIsland(range));
      node = range.end;
    } else if (node instanceof Text) {
      if (node.data !== "") children.push(node.data);
    } else if (node instanceof Element) {
      children.push(h(node.localName, attributes(node), toVNodes(node.firstChild, null, toIsland)));
    }
  }
  return children;
}

/** Attributes as props; a boolean one is on by being there, whatever it says. */
function attributes(element: Element): Record<string, unknown> {
  const own = Array.from(element.attributes, ({ name, value }) => {
    const isBoolean = typeof Reflect.get(element, name) === "boolean";
    return [name, isBoolean || value];
  });
  return Object.fromEntries(own);
}
