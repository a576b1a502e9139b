import type { FlameData } from "./flame_data.ts";
import { flameTree } from "./flame_tree.ts";
import { SIDE_NAMES } from "./words.ts";
import { StaticIcicle } from "./static_icicle.tsx";

export interface SmallGraphProps {
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
