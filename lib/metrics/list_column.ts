/** So many numbers are taken from the system at once. */
const POOL = 65_536;
/** What is longer has a buffer of its own. */
const MAX_POOLED = POOL / 32;
let pool = new Float64Array();
let taken = 0;

/** A column of zeros. Short ones share a buffer: one for each takes ten times as long to make. */
export function newColumn(length: number): Float64Array {
  if (length > MAX_POOLED) return new Float64Array(length);
  if (taken + length > pool.length) {
    pool = new Float64Array(POOL);
    taken = 0;
  }
  taken += length;
  return pool.subarray(taken - length, taken);
}

/** `Float64Array.from()` with a function takes many times as long. */
export function columnOf<T>(list: readonly T[], valueOf: (item: T) => number): Float64Array {
  const column = newColumn(list.length);
  for (let place = 0; place < list.length; place++) {
    const item = list[place];
    if (item !== undefined) column[place] = valueOf(item);
  }
  return column;
}

/** One column after the other. */
export function joinedColumn(columns: readonly Float64Array[]): Float64Array {
  let length = 0;
  for (const column of columns) length += column.length;
  const all = newColumn(length);
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}
