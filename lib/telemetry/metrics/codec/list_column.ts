/** `Float64Array.from()` with a function takes many times as long. */
export function columnOf<T>(list: readonly T[], valueOf: (item: T) => number): Float64Array {
  const column = new Float64Array(list.length);
  for (let place = 0; place < list.length; place++) {
    const item = list[place];
    if (item !== undefined) column[place] = valueOf(item);
  }
  return column;
}
