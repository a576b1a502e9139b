import type { FlameLayout } from "./layout.ts";
import { boxBeside, type Direction } from "./walk.ts";

/** The part of a key press that matters. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
}

/** What a key asks for. */
export type Command =
  | { readonly kind: "focus"; readonly node: number }
  | { readonly kind: "zoom" | "reset" | "search" | "menu" | "next" | "previous" }
  | { readonly kind: "scale"; readonly factor: number };

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};
const ZOOM = 0.5;

/**
 * What a key means while the graph has the focus.
 *
 * @param focused the box that the keyboard is at
 * @param zoomed the box that is zoomed to
 * @returns null when it means nothing here
 */
export function commandOf(
  { key, shiftKey }: Key,
  layout: FlameLayout,
  focused: number,
  zoomed: number,
): Command | null {
  const direction = DIRECTIONS[key];
  if (direction !== undefined) {
    return { kind: "focus", node: boxBeside(layout, focused, direction, zoomed) };
  }
  switch (key) {
    case "Home":
      return { kind: "focus", node: zoomed };
    case "Enter":
    case " ":
      return { kind: "zoom" };
    case "ContextMenu":
      return { kind: "menu" };
    case "F10":
      return shiftKey ? { kind: "menu" } : null;
    case "+":
    case "=":
      return { kind: "scale", factor: ZOOM };
    case "-":
      return { kind: "scale", factor: 1 / ZOOM };
    default:
      return pageCommand(key);
  }
}

/** What a key means anywhere on the page, where nobody is typing. */
export function pageCommand(key: string): Command | null {
  switch (key) {
    case "Escape":
    case "0":
      return { kind: "reset" };
    case "/":
      return { kind: "search" };
    case "n":
      return { kind: "next" };
    case "N":
      return { kind: "previous" };
    default:
      return null;
  }
}
