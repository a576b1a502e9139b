import { type FlameAddress, hrefOf } from "./address.ts";

/** Browsers refuse more than a hundred changes in half a minute: typing must not use them up. */
const AT_MOST_EVERY_MS = 300;

/** Changes that wait, by the prefix of their graph. */
const waiting = new Map<string, FlameAddress>();

/** Writes the state of a graph into the page's address, in place of the one before. */
export function writeAddress(address: FlameAddress, prefix: string): void {
  if (waiting.size === 0) setTimeout(writeWaiting, AT_MOST_EVERY_MS);
  waiting.set(prefix, address);
}

function writeWaiting(): void {
  let href = location.href;
  for (const [prefix, address] of waiting) {
    href = new URL(hrefOf(new URL(href), address, prefix), href).href + location.hash;
  }
  waiting.clear();
  history.replaceState(history.state, "", href);
}
