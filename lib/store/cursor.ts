/** Where a page of a list goes on: after or before one row of it. */
export interface Cursor {
  readonly direction: "next" | "previous";
  /** The sort value of that row, as text. */
  readonly value: string;
  /** Its id, which decides between equal values. */
  readonly id: string;
}

const MAX_LENGTH = 300;

/** Writes a cursor as text for URLs: opaque to whoever carries it. */
export function writeCursor({ direction, value, id }: Cursor): string {
  const json = JSON.stringify([direction === "next" ? 1 : 0, value, id]);
  return btoa(json).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Reads a cursor back.
 *
 * @param isValid whether value and id can be of the list that is asked for
 * @returns null for anything else than what `writeCursor()` wrote: the first page, then
 */
export function readCursor(
  text: string | null,
  isValid: (value: string, id: string) => boolean,
): Cursor | null {
  if (text === null || text.length > MAX_LENGTH || !/^[\w-]+$/.test(text)) return null;
  try {
    const parsed: unknown = JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
    if (!Array.isArray(parsed)) return null;
    const [direction, value, id]: unknown[] = parsed;
    if (typeof value !== "string" || typeof id !== "string" || !isValid(value, id)) return null;
    return { direction: direction === 1 ? "next" : "previous", value, id };
  } catch {
    return null;
  }
}

/** A page of a list with the cursors of its neighbours; null where there is none. */
export interface CursorPage<Row> {
  readonly rows: Row[];
  readonly nextCursor: string | null;
  readonly previousCursor: string | null;
}

/**
 * Cuts a page out of what a query found: one row more than the page holds, in reading direction.
 *
 * @param found at most `limit + 1` rows, farthest from the cursor last
 * @param keyOf the sort value and id of a row
 */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
  cursor: Cursor | null,
  keyOf: (row: Row) => { value: string; id: string },
): CursorPage<Row> {
  const isBackwards = cursor?.direction === "previous";
  const rows = found.slice(0, limit);
  if (isBackwards) rows.reverse();
  const hasMore = found.length > limit;
  const [first] = rows;
  const last = rows.at(-1);
  const hasNext = isBackwards || hasMore;
  const hasPrevious = isBackwards ? hasMore : cursor !== null;
  return {
    rows,
    nextCursor: hasNext && last ? writeCursor({ direction: "next", ...keyOf(last) }) : null,
    previousCursor: hasPrevious && first
      ? writeCursor({ direction: "previous", ...keyOf(first) })
      : null,
  };
}

/** Digits that are always a `bigint` to Postgres. */
export function isId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}

/** What `Date.toISOString()` writes. */
export function isIsoTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
