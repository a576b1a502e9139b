import { classes } from "../components/class_names.ts";
import type { FlameAddress } from "./address.ts";

const TABS = [["graph", "Flame graph"], ["table", "Table"]] as const;

export interface ViewTabsProps {
  readonly current: FlameAddress["tab"];
  readonly hrefOf: (tab: FlameAddress["tab"]) => string;
  /** What the script does instead of following the link. */
  readonly onChoose?: (tab: FlameAddress["tab"]) => void;
}

/** Chooses between the picture and the table, by links that work without script. */
export function ViewTabs({ current, hrefOf, onChoose }: ViewTabsProps) {
  return (
    <ul class="flame-tabs" aria-label="View">
      {TABS.map(([tab, label]) => (
        <li key={tab}>
          <a
            href={hrefOf(tab)}
            aria-current={tab === current ? "true" : undefined}
            class={classes("flame-tab", tab === current && "flame-tab-current")}
            onClick={onChoose && ((event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              onChoose(tab);
            })}
          >
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}
