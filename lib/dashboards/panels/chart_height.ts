/** Of the grid in px, as `dashboards.css` has them. */
const ROW = 40;
const GAP = 12;
/** Head of the panel, its padding, the legend and the toggle of the table. */
const AROUND = 150;
const LEAST = 120;

/** Height of a chart that fills a panel of so many rows, in px. */
export function chartHeight(rows: number): number {
  return Math.max(LEAST, rows * (ROW + GAP) - GAP - AROUND);
}
