import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";

export interface MenuProps {
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
