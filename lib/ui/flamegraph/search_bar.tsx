import { Icon, type IconName } from "../components/icon.tsx";
import { formatQuantity } from "../format.ts";
import { foundTotal } from "./search.ts";
import { shareText } from "./words.ts";
import type { ToolbarProps } from "./toolbar.tsx";
import type { Graph } from "./use_graph.ts";

/** Search among the functions: how much of what is in view is spent in them, and the way from one to the next. */
export function SearchBar(
  { graph, searchField, onStep, onLeaveSearch }: Pick<
    ToolbarProps,
    "graph" | "searchField" | "onStep" | "onLeaveSearch"
  >,
) {
  const { address, change, search } = graph;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown") onLeaveSearch();
    else if (event.key === "Escape") {
      change({ find: "" });
      onLeaveSearch();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="flex min-w-0 items-center gap-2 max-md:basis-full" role="search">
      <input
        ref={searchField}
        type="search"
        value={address.find}
        aria-label="Search functions"
        aria-invalid={search.kind === "invalid"}
        placeholder="Search functions ( / )"
        title="Part of a function, file or module, or /a regular expression/"
        class="h-7 w-52 min-w-0 rounded-md border border-line-strong bg-surface px-2 text-sm max-md:flex-1"
        onInput={({ currentTarget }) => change({ find: currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      {search.kind !== "none" && (
        <>
          <span class="text-meta whitespace-nowrap text-muted tabular-nums" role="status">
            {resultOf(graph)}
          </span>
          <Step label="Previous match (N)" icon="chevron-up" onPress={() => onStep(-1)} />
          <Step label="Next match (n)" icon="chevron-down" onPress={() => onStep(1)} />
        </>
      )}
    </div>
  );
}

function resultOf({ search, found, tree, zoomed }: Graph): string {
  if (search.kind === "invalid") return search.message;
  if (found === null || found.nodes.length === 0) return "no match";
  const share = shareText(foundTotal(tree, found, zoomed), tree.totals[zoomed] ?? 0);
  return `${share} in ${formatQuantity(found.nodes.length, "box", "boxes")}`;
}

function Step({ label, icon, onPress }: {
  readonly label: string;
  readonly icon: IconName;
  readonly onPress: () => void;
}) {
  return (
    <button type="button" aria-label={label} title={label} class="flame-tool" onClick={onPress}>
      <Icon name={icon} size={14} />
    </button>
  );
}
