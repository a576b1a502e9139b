import { type ComponentChildren, Fragment, h, toChildArray, type VNode } from "preact";
import { currentRender, type RenderState } from "./state.ts";

export interface HeadProps {
  children?: ComponentChildren;
}

/** Moves its children to the document's head. The server does this; in the browser it is empty. */
export function Head({ children }: HeadProps): null {
  const render = currentRender();
  if (render !== null) collect(children, render);
  return null;
}

function collect(children: ComponentChildren, render: RenderState): void {
  for (const child of toChildArray(children)) {
    if (typeof child !== "object") continue;
    if (child.type === Fragment) collect(child.props.children, render);
    else render.head.set(headKey(child), child);
  }
}

/** Renders what was collected and has not replaced an element of the app wrapper's head. */
export function CollectedHead(): VNode {
  return h(Fragment, null, ...currentRender()?.head.values() ?? []);
}

/** Elements with the same key are one, and the page's wins over the app wrapper's. */
export function headKey(vnode: VNode): unknown {
  const { type, key, props } = vnode;
  if (key !== null && key !== undefined) return key;
  if (typeof type !== "string") return vnode;
  if (type === "title") return "title";

  const value = type === "meta" ? "content" : type === "link" ? "href" : "";
  const ignored = ["children", "nonce", "ref", value];
  const attributes = Object.entries(props).filter(([name]) => !ignored.includes(name)).sort();
  return JSON.stringify([type, attributes]);
}
