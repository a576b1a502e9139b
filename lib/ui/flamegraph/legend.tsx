import { COLOUR_CLASSES, type ColourMode, legendOf } from "./colours.ts";
import type { FlameTree } from "./flame_tree.ts";

const MEANINGS: Readonly<Record<ColourMode, string>> = {
  package: "Colours: packages, those with most self first",
  own: "Colours: whose code it is",
  diff: "Colours: change of the total; widths: both sides together",
};

/** What the colours mean. */
export function Legend({ tree, mode }: { readonly tree: FlameTree; readonly mode: ColourMode }) {
  return (
    <ul class="flame-legend" aria-label={MEANINGS[mode]}>
      {legendOf(tree, mode).map(({ label, colour }) => (
        <li key={label} class="flex min-w-0 items-center gap-1.5">
          <svg width="10" height="10" class="shrink-0" aria-hidden="true">
            <rect width="10" height="10" rx="2" class={COLOUR_CLASSES[colour]} />
          </svg>
          <bdi class="min-w-0 truncate" title={label}>{label}</bdi>
        </li>
      ))}
    </ul>
  );
}
