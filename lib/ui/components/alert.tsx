import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import { Icon, type IconName } from "./icon.tsx";

export type AlertKind = "info" | "ok" | "warning" | "danger";

const LOOKS: Record<AlertKind, { box: string; icon: IconName; shade: string }> = {
  info: { box: "border-info bg-info-soft", icon: "info", shade: "text-info" },
  ok: { box: "border-ok bg-ok-soft", icon: "ok", shade: "text-ok" },
  warning: { box: "border-warning bg-warning-soft", icon: "warning", shade: "text-warning" },
  danger: { box: "border-danger bg-danger-soft", icon: "error", shade: "text-danger" },
};

export interface AlertProps {
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
