import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";

export interface PanelProps {
  readonly title?: ComponentChildren;
  /** Makes the title a link target and names the region. */
  readonly id?: string;
  /** A sentence under the title. */
  readonly description?: ComponentChildren;
  /** At the right of the title: buttons, links. */
  readonly actions?: ComponentChildren;
  /** Content to the edges, for tables. @default false */
  readonly flush?: boolean;
  /** Red border for what cannot be undone. @default false */
  readonly danger?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A bordered block of a page with a heading of the second level. */
export function Panel(
  { title, id, description, actions, flush = false, danger = false, class: extra, children }:
    PanelProps,
) {
  return (
    <section
      class={classes(
        "min-w-0 rounded-lg border bg-surface",
        danger ? "border-danger" : "border-line",
        extra,
      )}
      aria-labelledby={id && title ? id : undefined}
    >
      {title && (
        <div class="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2.5">
          <div class="min-w-0">
            <h2 id={id} class="font-semibold">{title}</h2>
            {description && <p class="max-w-3xl text-sm text-muted">{description}</p>}
          </div>
          {actions && <div class="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      {flush ? children : <div class="p-4">{children}</div>}
    </section>
  );
}
