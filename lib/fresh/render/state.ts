import type { ComponentChildren, VNode } from "preact";
import type { Island, ProdBuildCache } from "../build/cache.ts";

/** What comes up while one document is rendered. */
export class RenderState {
  readonly nonce: string = crypto.randomUUID().replaceAll("-", "");
  readonly head: Map<unknown, VNode> = new Map();
  readonly seenTags: Set<string> = new Set();
  readonly usedIslands: Set<Island> = new Set();
  readonly islandProps: Record<string, unknown>[] = [];
  /** JSX that islands were given; null, once an island has rendered it. */
  readonly slots: ({ children: ComponentChildren } | null)[] = [];
  /** Elements of islands that are to be rendered as they are. */
  readonly plain: WeakSet<VNode> = new WeakSet();
  #originals: [VNode, Partial<VNode>][] = [];

  constructor(
    readonly registry: Pick<ProdBuildCache<unknown>, "islands" | "clientEntry"> | null,
  ) {}

  /** Changes an element for this document only: others may render the same object. */
  rewrite(vnode: VNode, change: { type?: unknown; props: object }): void {
    this.#originals.push([vnode, { type: vnode.type, props: vnode.props }]);
    Object.assign(vnode, change);
  }

  /** Takes all changes back. */
  restore(): void {
    for (const [vnode, original] of this.#originals.reverse()) Object.assign(vnode, original);
  }

  /** The modules that the browser has to load; none if the document has no island. */
  scripts(): string[] {
    if (this.registry === null || this.usedIslands.size === 0) return [];
    const chunks = [...this.usedIslands].map((island) => island.chunk);
    return [...new Set([this.registry.clientEntry, ...chunks])];
  }
}

let current: RenderState | null = null;

/** The document being rendered. Rendering is synchronous, so there is at most one. */
export function currentRender(): RenderState | null {
  return current;
}

/** Renders with `state` as the current document. */
export function withRender<Result>(state: RenderState, render: () => Result): Result {
  current = state;
  try {
    return render();
  } finally {
    current = null;
    state.restore();
  }
}
