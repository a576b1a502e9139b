import type { ComponentChildren } from "preact";
import { classes, Icon, type IconName } from "./icon.tsx";

export interface PanelProps {
  readonly title?: ComponentChildren;
  /** Makes the title a link target and names the region. */
  readonly id?: string | undefined;
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

/** A heading of the panel with what belongs to it. */
export function PanelSection({ title, children }: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section>
      <h3 class="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  );
}

type AlertKind = "info" | "ok" | "warning" | "danger";

const LOOKS: Record<AlertKind, { box: string; icon: IconName; shade: string }> = {
  info: { box: "border-info bg-info-soft", icon: "info", shade: "text-info" },
  ok: { box: "border-ok bg-ok-soft", icon: "ok", shade: "text-ok" },
  warning: { box: "border-warning bg-warning-soft", icon: "warning", shade: "text-warning" },
  danger: { box: "border-danger bg-danger-soft", icon: "error", shade: "text-danger" },
};

interface AlertProps {
  /** @default "info" */
  readonly kind?: AlertKind;
  readonly title?: ComponentChildren;
  /** Read out at once by screen readers: for the result of what was just done. @default false */
  readonly isLive?: boolean;
  readonly class?: string;
  readonly children?: ComponentChildren;
}

/** A box that says what happened, what still works and what to do. */
export function Alert(
  { kind = "info", title, isLive = false, class: extra, children }: AlertProps,
) {
  const { box, icon, shade } = LOOKS[kind];
  return (
    <div
      role={isLive ? (kind === "danger" ? "alert" : "status") : undefined}
      class={classes("flex gap-2 rounded-md border px-3 py-2", box, extra)}
    >
      <Icon name={icon} class={classes("mt-[3px]", shade)} />
      <div class="min-w-0 flex-1 wrap-anywhere">
        {title && <p class={classes("font-semibold", shade)}>{title}</p>}
        {children}
      </div>
    </div>
  );
}

interface EmptyStateProps {
  /** @default "inbox" */
  readonly icon?: IconName;
  /** What is not here, as "No errors yet". */
  readonly title: ComponentChildren;
  /** Why it is empty and what would fill it. */
  readonly children?: ComponentChildren;
  /** Buttons to act. */
  readonly actions?: ComponentChildren;
}

/** In place of a list: why there is nothing, and what would fill it. */
export function EmptyState({ icon = "inbox", title, children, actions }: EmptyStateProps) {
  return (
    <div class="flex flex-col items-center px-4 py-12 text-center">
      <Icon name={icon} size={32} class="mb-3 text-faint" />
      <h2 class="text-lg font-semibold">{title}</h2>
      {children && <div class="mt-1 max-w-prose text-muted">{children}</div>}
      {actions && <div class="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
