import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "neutral" | "accent" | "danger" | "warning" | "info" | "ok";

const TONES: Record<Tone, string> = {
  neutral: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  danger: "bg-danger-soft text-danger",
  warning: "bg-warning-soft text-warning",
  info: "bg-info-soft text-info",
  ok: "bg-ok-soft text-ok",
};

export interface BadgeProps {
  /** @default "neutral" */
  readonly tone?: Tone;
  /** A shape beside the word, so that the colour never speaks alone. */
  readonly icon?: IconName;
  /** Shown on hover. */
  readonly title?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A word with a colour and, where it carries meaning, a shape. */
export function Badge({ tone = "neutral", icon, title, class: extra, children }: BadgeProps) {
  return (
    <span
      title={title}
      class={classes(
        "inline-flex items-center gap-1 rounded-sm px-1.5 text-meta font-medium whitespace-nowrap",
        "h-5",
        TONES[tone],
        extra,
      )}
    >
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}
