/**
 * Keeps upstream Fresh from marking links by itself: it says `aria-current` of every link to the page and to what lies
 * above it, links of sorting and filters among them, which readers of screens would hear at each. Ours say it where it
 * tells something.
 */
import "fresh";
import { options, type VNode } from "preact";

// Upstream's hook, called from here, leaves alone what has the attribute; one that is null is not written.
const earlierHook = options.vnode;
options.vnode = (vnode) => {
  if (vnode.type === "a") Object.assign(vnode.props, { "aria-current": marked(vnode) ?? null });
  earlierHook?.(vnode);
};

function marked({ props }: VNode): unknown {
  return Reflect.get(props, "aria-current");
}
