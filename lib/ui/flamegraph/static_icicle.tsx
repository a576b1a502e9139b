import { classes } from "../components/icon.tsx";
import type { FlameAddress } from "./address.ts";
import { COLOUR_CLASSES, type ColourMode, nodeColours } from "./colours.ts";
import { type FlameData, type FlameTree, flameTree, isWithin } from "./flame_tree.ts";
import { layoutOf, viewOf } from "./layout.ts";
import { pathOf } from "./path.ts";
import { boxLabel, factsOf, sentenceOf, SIDE_NAMES, type SideNames } from "./words.ts";

/** As many boxes as a page can bear. */
const MAX_BOXES = 400;
/** Narrower boxes, as a share of the width, are left to the script. */
const MIN_SHARE = 1 / 600;
/** Characters that fit the width of a desk's window; in narrower ones texts are cut at the edge of their box. */
const ROOM = 160;
const ROW_PX = 20;

interface StaticIcicleProps {
  readonly tree: FlameTree;
  readonly title: string;
  readonly mode: ColourMode;
  readonly sides: SideNames;
  /** The node that is zoomed to. */
  readonly zoomed: number;
  readonly hrefOf: (change: Partial<FlameAddress>) => string;
}

/** The widest boxes of the graph as the server draws them: each leads to itself zoomed to. */
export function StaticIcicle({ tree, title, mode, sides, zoomed, hrefOf }: StaticIcicleProps) {
  const layout = layoutOf(tree);
  const view = viewOf(layout, zoomed);
  const colours = nodeColours(tree, mode);
  const length = view.end - view.start;
  return (
    <svg
      class="flame-icicle"
      width="100%"
      height={tree.levels * ROW_PX}
      role="group"
      aria-label={title}
    >
      {widest(layout, view, zoomed).map((node) => {
        const from = Math.max(0, ((layout.lefts[node] ?? 0) - view.start) / length);
        const until = Math.min(
          1,
          ((layout.lefts[node] ?? 0) + (layout.widths[node] ?? 0) - view.start) / length,
        );
        const isAbove = node !== zoomed && isWithin(tree, zoomed, node);
        const sentence = sentenceOf(factsOf(tree, node, zoomed, sides));
        const room = Math.floor((until - from) * ROOM);
        return (
          <a key={node} href={hrefOf({ path: pathOf(tree, node) })}>
            <svg
              x={percent(from)}
              y={(tree.depths[node] ?? 0) * ROW_PX}
              width={percent(until - from)}
              height={ROW_PX}
            >
              <title>{sentence}</title>
              <rect
                width="100%"
                height={ROW_PX - 1}
                class={classes(COLOUR_CLASSES[colours[node] ?? 0], isAbove && "flame-above")}
              />
              <text x="4" y="14" aria-hidden="true">{boxLabel(tree, node, room)}</text>
            </svg>
          </a>
        );
      })}
    </svg>
  );
}

function widest(
  { tree, widths }: ReturnType<typeof layoutOf>,
  view: { readonly start: number; readonly end: number },
  zoomed: number,
): number[] {
  const least = (view.end - view.start) * MIN_SHARE;
  const nodes: number[] = [];
  for (let node = 0; node < tree.size; node++) {
    const isInView = isWithin(tree, node, zoomed) || isWithin(tree, zoomed, node);
    if (isInView && (widths[node] ?? 0) >= least) nodes.push(node);
  }
  // In depth-first order again: that is how the keyboard should go through them.
  return nodes.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0)).slice(0, MAX_BOXES)
    .sort((a, b) => a - b);
}

function percent(share: number): string {
  return `${Math.round(share * 100_000) / 1_000}%`;
}

interface SmallGraphProps {
  readonly data: FlameData;
  /** What the graph shows. */
  readonly title: string;
  /** The page with the whole of it, to which each box leads zoomed to itself. */
  readonly href: string;
}

/** A flame graph for a narrow place: its widest boxes, which scroll in a box of their own. */
export function SmallGraph({ data, title, href }: SmallGraphProps) {
  const separator = href.includes("?") ? "&" : "?";
  return (
    <div class="flame">
      <div class="flame-box max-h-80 overflow-y-auto">
        <StaticIcicle
          tree={flameTree(data)}
          title={title}
          mode="package"
          sides={SIDE_NAMES}
          zoomed={0}
          hrefOf={({ path = [] }) =>
            path.length === 0 ? href : `${href}${separator}path=${path.join(",")}`}
        />
      </div>
    </div>
  );
}
