import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import { formatCount } from "../format.ts";

export interface Tab {
  readonly href: string;
  readonly label: ComponentChildren;
  readonly isCurrent: boolean;
  /** Number of things behind the tab. */
  readonly count?: number | null;
}

export interface TabsProps {
  readonly tabs: readonly Tab[];
  /** What the tabs choose, for screen readers. */
  readonly label: string;
}

/** Views of one page as links, so that each has an address. Scrolls sideways where it does not fit. */
export function Tabs({ tabs, label }: TabsProps) {
  return (
    <nav aria-label={label} class="overflow-x-auto border-b border-line">
      <ul class="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab.href} class="shrink-0">
            <a
              href={tab.href}
              aria-current={tab.isCurrent ? "page" : undefined}
              class={classes(
                "flex h-9 items-center gap-1.5 border-b-2 px-3 -outline-offset-2",
                tab.isCurrent
                  ? "border-accent font-medium text-ink"
                  : "border-transparent text-muted hover:border-line-strong hover:text-ink",
              )}
            >
              {tab.label}
              {typeof tab.count === "number" && (
                <span class="rounded-sm bg-sunken px-1 text-meta text-muted tabular-nums">
                  {formatCount(tab.count)}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
