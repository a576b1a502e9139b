import type { FlameLayout } from "./layout.ts";
import type { Found } from "./search.ts";
import type { View } from "./view.ts";

/** Height of a row; the server's drawing has the same. */
export const ROW_PX = 20;
/** Height of the axis above charts in order of time. */
export const AXIS_PX = 20;

/** What is to be drawn. */
export interface Picture {
  readonly layout: FlameLayout;
  /** Places of the nodes' colours in the palette. */
  readonly colours: Uint8Array;
  /** Text of a box that has room for so many characters; `""`: for none that says anything. */
  readonly labelOf: (node: number, room: number) => string;
  readonly found: Found | null;
  /** The node that is zoomed to: its callers step back. */
  readonly zoomed: number;
  /** The node that the keyboard is at, and the one under the pointer. */
  readonly focused: number;
  readonly hovered: number | null;
  /** The focused node has a ring. */
  readonly hasFocus: boolean;
  readonly view: View;
}

/** Pixels above the first row. */
export function axisHeight({ tree }: FlameLayout): number {
  return tree.starts === null ? 0 : AXIS_PX;
}

/** Height of everything. */
export function fullHeight(layout: FlameLayout): number {
  return axisHeight(layout) + layout.tree.levels * ROW_PX;
}
