/** Where columns and rows of a grid are on the screen. */
import { COLUMNS } from "./content.ts";

/** Of the grid in px, as `dashboards.css` has them. */
const GAP = 12;
const ROW = 40;

export interface GridGeometry {
  /** The column whose start is nearest to a place right of the grid's edge, in px; 0 to 12. */
  readonly columnAt: (px: number) => number;
  /** The row whose start is nearest to a place below the grid's edge, in px. */
  readonly rowAt: (px: number) => number;
}

/**
 * Geometry from the used sizes of a grid: rows grow with what is in them.
 *
 * @param width of the grid in px
 * @param rows heights of its rows in px
 */
export function gridGeometry(width: number, rows: readonly number[]): GridGeometry {
  const pitch = (width + GAP) / COLUMNS;
  const starts = [0];
  for (const height of rows) starts.push((starts.at(-1) ?? 0) + height + GAP);
  const end = starts.at(-1) ?? 0;
  return {
    columnAt: (px) => Math.min(COLUMNS, Math.max(0, Math.round(px / pitch))),
    rowAt(px) {
      if (px >= end) return starts.length - 1 + Math.round((px - end) / (ROW + GAP));
      return nearest(starts, px);
    },
  };
}

/** Measures a grid as it is drawn. */
export function measureGrid(grid: HTMLElement): GridGeometry {
  const rows = getComputedStyle(grid).gridTemplateRows.split(" ").map(Number.parseFloat);
  return gridGeometry(grid.clientWidth, rows.filter(Number.isFinite));
}

function nearest(starts: readonly number[], px: number): number {
  let best = 0;
  for (const [index, start] of starts.entries()) {
    if (Math.abs(start - px) < Math.abs((starts[best] ?? 0) - px)) best = index;
  }
  return best;
}
