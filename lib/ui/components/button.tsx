import { t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { classes, Icon, type IconName } from "./icon.tsx";

/** `primary` once a page at most; `danger` for what cannot be undone; `plain` has no border. */
type ButtonKind = "primary" | "secondary" | "danger" | "plain";

interface LookProps {
  /** @default "secondary" */
  readonly kind?: ButtonKind;
  /** `sm` is 28 px high, for bars and table rows. @default "md" (36 px) */
  readonly size?: "sm" | "md";
  readonly icon?: IconName;
  readonly class?: string;
  readonly children: ComponentChildren;
}

interface ButtonProps extends LookProps {
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
  /** Shown on hover. */
  readonly title?: string;
  /** In islands. */
  readonly onClick?: () => void;
  /** The letter that presses it. */
  readonly "data-key"?: string;
  readonly "aria-pressed"?: "true" | "false";
  readonly "aria-label"?: string;
}

interface LinkButtonProps extends LookProps {
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

interface CopyButtonProps {
  /** Id of the element whose text is copied (a field's value, when it is a field). */
  readonly target: string;
  /** What is copied, for screen readers, as "DSN". */
  readonly what: string;
  /** Shows the icon alone. @default false */
  readonly isCompact?: boolean;
  readonly class?: string;
}

/**
 * Copies another element's text. Shown once the page's script runs (`islands/PageLife.tsx` listens for
 * clicks on `data-copy`), since without it the text can still be selected.
 */
export function CopyButton({ target, what, isCompact = false, class: extra }: CopyButtonProps) {
  return (
    <button
      type="button"
      data-copy={target}
      aria-label={t("Copy {what}", { what })}
      title={t("Copy {what}", { what })}
      class={classes(
        "invisible inline-flex h-7 items-center gap-1 rounded-md border border-line bg-surface px-1.5",
        "text-sm text-muted hover:bg-hover hover:text-ink scripted:visible",
        extra,
      )}
    >
      <Icon name="copy" size={14} class="in-data-copied:hidden" />
      <Icon name="check" size={14} class="hidden text-ok in-data-copied:block" />
      {!isCompact && (
        <span aria-hidden="true" class="max-sm:hidden">
          <span class="in-data-copied:hidden">{t("Copy")}</span>
          <span class="hidden in-data-copied:inline">{t("Copied")}</span>
        </span>
      )}
    </button>
  );
}

interface CopyFieldProps {
  readonly id: string;
  readonly value: string;
  /** Name of it for screen readers, as "Server DSN". */
  readonly what: string;
}

/** A text to copy: wraps, is selected by one click, and has a copy button. */
export function CopyField({ id, value, what }: CopyFieldProps) {
  return (
    <div class="flex items-start gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-2.5">
      <code id={id} class="min-w-0 flex-1 py-1 text-sm break-all select-all">{value}</code>
      <CopyButton target={id} what={what} />
    </div>
  );
}

interface MenuProps {
  /** Content of the button that opens it. */
  readonly button: ComponentChildren;
  /** Name of the button, when its content is no text. */
  readonly label?: string;
  readonly buttonClass?: string;
  /** Side of the button that the panel aligns with. @default "left" */
  readonly align?: "left" | "right";
  /** @default "down" */
  readonly opens?: "down" | "up";
  /** Width and the like of the panel. */
  readonly panelClass?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/**
 * A button with a panel under it. It is a `<details>` and works without script; the page's script closes
 * it on Escape and on clicks elsewhere. Opening one closes the other.
 */
export function Menu(props: MenuProps) {
  const { button, label, buttonClass, align = "left", opens = "down", panelClass, children } =
    props;
  return (
    <details name="menu" data-menu="" class={classes("relative", props.class)}>
      <summary aria-label={label} class={buttonClass}>{button}</summary>
      <div
        class={classes(
          "absolute z-40 min-w-44 rounded-lg border border-line bg-surface p-1 shadow-float",
          align === "left" ? "left-0" : "right-0",
          opens === "down" ? "top-full mt-1" : "bottom-full mb-1",
          panelClass,
        )}
      >
        {children}
      </div>
    </details>
  );
}

export const MENU_ITEM_LOOK =
  "flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-ink hover:bg-hover";
