import { computed, signal } from "@preact/signals";
import { parse } from "devalue";
import { type ComponentChild, type ComponentType, h, render, type VNode } from "preact";
import { asContainer, findRanges, type Range } from "./ranges.ts";
import { toVNodes } from "./slots.ts";

/** A prop that the server has rendered: the number of its slot. */
class SlotRef {
  constructor(readonly id: number) {}
}

const REVIVERS = {
  Signal: ([value]: [unknown]) => signal(value),
  Computed: ([value]: [unknown]) => computed(() => value),
  Slot: ([id]: [number]) => new SlotRef(id),
  Entries: (entries: [string, unknown][]) => Object.fromEntries(entries),
};

/** Brings the islands of the page to life; called by the script that the server adds to it. */
export function boot(islands: Record<string, ComponentType>, serializedProps: string): void {
  const allProps: Record<string, unknown>[] = parse(serializedProps, REVIVERS);
  const slots = new Map<string, Range>();

  const discover = (root: Node): Range[] => {
    const ranges = findRanges(root);
    for (const range of ranges) if (range.kind === "slot") slots.set(range.name, range);
    return ranges;
  };

  const slotContent = (id: number): ComponentChild[] => {
    const range = slots.get(String(id));
    if (range !== undefined) return toVNodes(range.start.nextSibling, range.end, toIsland);

    const template = document.querySelector<HTMLTemplateElement>(`#frsh-slot-${id}`);
    if (template === null) return [];
    discover(template.content);
    return toVNodes(template.content.firstChild, null, toIsland);
  };

  const toIsland = ({ name, propsIndex }: Range): VNode => {
    const component = islands[name];
    if (component === undefined) throw new Error(`Cannot start the island ${name}: it is unknown`);

    const props = Object.entries(allProps[propsIndex] ?? {}).map(([prop, value]) => [
      prop,
      value instanceof SlotRef ? slotContent(value.id) : value,
    ]);
    return h(component, Object.fromEntries(props));
  };

  for (const range of discover(document.body)) {
    // In tasks of their own, so that the page stays responsive between them.
    if (range.isOutermost) setTimeout(() => start(range, toIsland));
  }
}

function start(range: Range, toIsland: (range: Range) => VNode): void {
  if (range.start.parentNode !== range.end.parentNode) {
    throw new Error(`Cannot start the island ${range.name}: the browser has moved its markup`);
  }
  render(toIsland(range), asContainer(range));
}
