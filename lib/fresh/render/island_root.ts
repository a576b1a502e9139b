import {
  type ComponentChildren,
  type ComponentType,
  createContext,
  Fragment,
  h,
  isValidElement,
  type VNode,
} from "preact";
import { useContext } from "preact/hooks";
import { jsxTemplate } from "preact/jsx-runtime";
import type { Island } from "../build/cache.ts";
import { isSignal } from "./island_props.ts";
import { currentRender, type RenderState } from "./state.ts";

interface IslandRootProps {
  island: Island;
  component: ComponentType;
  props: Record<string, unknown>;
}

/** Whether an island's own output surrounds this place; there, an island is a plain component. */
const InsideIsland = createContext(false);

/** Renders an island between comments that tell the browser where it is and which props it has. */
export function IslandRoot({ island, component, props }: IslandRootProps): VNode {
  const isNested = useContext(InsideIsland);
  const render = currentRender() as RenderState;
  const ownProps = isNested ? props : withSlots(props, render);
  const element = h(component, ownProps);
  render.plain.add(element);
  if (isNested) return element;

  render.usedIslands.add(island);
  const index = render.islandProps.push(ownProps) - 1;
  const inside = h(InsideIsland.Provider, { value: true }, element);
  return marked("island", `${island.name}:${index}`, inside);
}

/** Stands for JSX that an island was given: the browser finds it where it is rendered. */
export function Slot({ id, children }: { id: number; children?: ComponentChildren }): VNode {
  const render = currentRender() as RenderState;
  render.slots[id] = null;
  return marked("slot", String(id), h(InsideIsland.Provider, { value: false }, children));
}

function withSlots(props: Record<string, unknown>, { slots }: RenderState) {
  const entries = Object.entries(props).map(([name, value]) => {
    // A signal looks like an element, because one can be rendered.
    const isElement = isValidElement(value) && !isSignal(value);
    if (name !== "children" && !isElement) return [name, value];

    const children = value as ComponentChildren;
    const id = slots.push({ children }) - 1;
    return [name, h(Slot, { id }, children)];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function marked(kind: string, label: string, children: ComponentChildren): VNode {
  const start = jsxTemplate([`<!--frsh:${kind}:${label}-->`]);
  return h(Fragment, null, start, children, jsxTemplate([`<!--/frsh:${kind}-->`]));
}
