import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import { Icon, type IconName } from "./icon.tsx";

/** `primary` once a page at most; `danger` for what cannot be undone; `plain` has no border. */
export type ButtonKind = "primary" | "secondary" | "danger" | "plain";

interface LookProps {
  /** @default "secondary" */
  readonly kind?: ButtonKind;
  /** `sm` is 28 px high, for bars and table rows. @default "md" (36 px) */
  readonly size?: "sm" | "md";
  readonly icon?: IconName;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export interface ButtonProps extends LookProps {
  /** @default "submit", because most buttons send their form */
  readonly type?: "submit" | "button";
  /** With `value`: what the form says was pressed. */
  readonly name?: string;
  readonly value?: string;
  readonly disabled?: boolean;
  /** Id of the form, when the button stands outside of it. */
  readonly form?: string;
  /** Where the form goes instead of its own action. */
  readonly formaction?: string;
  readonly "aria-label"?: string;
}

export interface LinkButtonProps extends LookProps {
  readonly href: string;
  readonly "aria-label"?: string;
}

const KINDS: Record<ButtonKind, string> = {
  primary: "border-transparent bg-accent-fill text-on-fill hover:bg-accent-fill-hover",
  secondary: "border-line-strong bg-surface text-ink hover:bg-hover",
  danger: "border-danger bg-surface text-danger hover:bg-danger-soft",
  plain: "border-transparent bg-transparent text-muted hover:bg-hover hover:text-ink",
};

/** A button that acts; to go somewhere use {@linkcode LinkButton}. */
export function Button(
  { kind, size, icon, class: extra, children, type = "submit", ...rest }: ButtonProps,
) {
  return (
    <button type={type} class={look(kind, size, extra)} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function LinkButton({ kind, size, icon, class: extra, children, ...rest }: LinkButtonProps) {
  return (
    <a class={look(kind, size, extra)} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

function look(kind: ButtonKind = "secondary", size: "sm" | "md" = "md", extra?: string): string {
  return classes(
    "inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap",
    "transition-colors disabled:opacity-50",
    size === "sm" ? "h-7 px-2 text-sm" : "h-9 px-3 text-base",
    KINDS[kind],
    extra,
  );
}
