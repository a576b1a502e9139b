/** Which span is open, and whether similar ones are unfolded, in the address of the page. */

/** Key of the open node, or null. */
export function openKeyIn(search: string): string | null {
  return new URLSearchParams(search).get("span");
}

/** Whether similar siblings are shown one by one. */
export function unfoldsGroupsIn(search: string): boolean {
  return new URLSearchParams(search).get("groups") === "open";
}

/** The page with the panel of a node open; null: with none. */
export function addressOf(key: string | null): string {
  const query = new URLSearchParams(location.search);
  if (key === null) query.delete("span");
  else query.set("span", key);
  return query.size === 0 ? location.pathname : `${location.pathname}?${query}`;
}

/** Writes the open node into the address; going back closes what was opened. */
export function writeAddress(key: string | null): void {
  const before = openKeyIn(location.search);
  if (before === key) return;
  const address = addressOf(key) + location.hash;
  if (before === null) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
