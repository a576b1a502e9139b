/**
 * Reads things in their order while the next ones are on their way.
 *
 * @param width how many are read at once
 * @returns each with what was read; a failure is thrown when its turn comes
 */
export async function* readAhead<Item, Value>(
  items: readonly Item[],
  width: number,
  read: (item: Item) => Promise<Value>,
): AsyncGenerator<readonly [Item, Value]> {
  const waiting: Promise<Value>[] = [];
  let next = 0;
  for (const item of items) {
    for (; next < items.length && waiting.length < width; next++) {
      const value = read(items[next] as Item);
      // Nobody hears of those behind the first that fails, or that are not waited for any more.
      value.catch(() => {});
      waiting.push(value);
    }
    yield [item, await (waiting.shift() as Promise<Value>)];
  }
}
