/** Which rows stand in a scrolled box; all rows have one height. */

/** In pixels; the head of the waterfall is as high, and stays in sight. */
export const ROW_PX = 24;
/** Rows drawn above and below what is in sight, so that scrolling never shows a gap. */
const SPARE_ROWS = 12;
/** The drawn part moves in steps, so that most frames of a scroll draw nothing new. */
const STEP_ROWS = 8;

export interface RowsWindow {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
}

/** The rows to draw for a scroll position. */
export function rowsWindow(scrollTop: number, boxHeight: number, rows: number): RowsWindow {
  const top = Math.floor(Math.max(scrollTop, 0) / ROW_PX) - SPARE_ROWS;
  const first = Math.max(0, Math.floor(top / STEP_ROWS) * STEP_ROWS);
  const inSight = Math.ceil(boxHeight / ROW_PX);
  const last = Math.min(rows, first + inSight + 2 * SPARE_ROWS + STEP_ROWS);
  return { first: Math.min(first, Math.max(0, rows - inSight)), last };
}

/** Where to scroll so that a row is in sight below the head; far jumps put it in the middle. */
export function scrollToShow(row: number, scrollTop: number, boxHeight: number): number {
  const top = row * ROW_PX;
  const room = Math.max(boxHeight - ROW_PX, ROW_PX);
  if (top >= scrollTop && top + ROW_PX <= scrollTop + room) return scrollTop;
  const isNear = top > scrollTop - 2 * ROW_PX && top < scrollTop + room + ROW_PX;
  if (!isNear) return Math.max(0, top - Math.floor(room / 2));
  return top < scrollTop ? top : top + ROW_PX - room;
}
