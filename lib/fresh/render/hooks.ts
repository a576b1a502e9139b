/**
 * Looks at every element before the server renders it, and adapts those that a document needs
 * more of than their author wrote: islands, head elements, inline scripts and styles.
 *
 * @module
 */

import { type FunctionComponent, h, options, type VNode } from "preact";
import { asset } from "./asset.ts";
import { CollectedHead, headKey } from "./head.ts";
import { IslandRoot } from "./island_root.ts";
import { ClosingScripts } from "./scripts.ts";
import { currentRender, type RenderState } from "./state.ts";

/** Preact's mangled name for the hook that runs before an element is rendered. */
const hooks = options as { __b?: (vnode: VNode) => void };

const earlierHook = hooks.__b;
hooks.__b = (vnode) => {
  const render = currentRender();
  if (render !== null) adapt(vnode, render);
  earlierHook?.(vnode);
};

/** An image with this attribute keeps its source as it is. */
const UNLOCKED = "data-fresh-disable-lock";

function adapt(vnode: VNode, render: RenderState): void {
  const { type, props } = vnode;
  if (typeof type !== "string") {
    const island = render.registry?.islands.get(type);
    if (island === undefined || render.plain.has(vnode)) return;
    return render.rewrite(vnode, { type: IslandRoot, props: { island, component: type, props } });
  }

  if ((type === "img" || type === "source") && !Reflect.has(props, UNLOCKED)) lock(vnode, render);
  if (render.seenTags.has("head") && !render.seenTags.has("body")) takeFromPage(vnode, render);
  if (type === "html" || type === "head" || type === "body") render.seenTags.add(type);

  if (type === "head") append(vnode, CollectedHead, render);
  else if (type === "body") append(vnode, ClosingScripts, render);
  else if (type === "script" || type === "style") {
    render.rewrite(vnode, { props: { nonce: render.nonce, ...vnode.props } });
  }
}

/** Ties the source of an image to this build. */
function lock(vnode: VNode, render: RenderState): void {
  const src: unknown = Reflect.get(vnode.props, "src");
  if (typeof src === "string") {
    render.rewrite(vnode, { props: { ...vnode.props, src: asset(src) } });
  }
}

/** Puts the page's `<Head>` element in the place of the app wrapper's. */
function takeFromPage(vnode: VNode, render: RenderState): void {
  const key = headKey(vnode);
  const replacement = render.head.get(key);
  if (replacement === undefined || replacement === vnode) return;

  render.head.delete(key);
  render.rewrite(vnode, { type: replacement.type, props: replacement.props });
}

function append(vnode: VNode, component: FunctionComponent, render: RenderState): void {
  const children = [vnode.props.children, h(component, null)];
  render.rewrite(vnode, { props: { ...vnode.props, children } });
}
