import type { ColourMode } from "./colours.ts";
import { type FlamePath, readPath } from "./path.ts";

/** Everything of a flame graph that a link restores. */
export interface FlameAddress {
  /** The way to the function that is zoomed to. */
  readonly path: FlamePath;
  readonly find: string;
  /** Null: as fits the data. */
  readonly colour: ColourMode | null;
  /** Left heavy (null), or the thread that is shown in order of time. */
  readonly thread: string | null;
  readonly tab: "graph" | "table";
  readonly collapsesRecursion: boolean;
  /** Hashes of the functions that are hidden. */
  readonly hidden: readonly string[];
}

const COLOURS: readonly string[] = ["package", "own", "diff"] satisfies ColourMode[];
/** Paths of more characters are left out: servers refuse addresses that are too long. */
const MAX_PATH = 6_000;
const MAX_HIDDEN = 50;

/**
 * Reads the state of a graph out of a query.
 *
 * @param prefix stands before the names of its parameters, for pages with several graphs
 */
export function readAddress(query: URLSearchParams, prefix = ""): FlameAddress {
  const colour = query.get(`${prefix}colour`);
  const hidden = query.get(`${prefix}hide`)?.split(",") ?? [];
  return {
    path: readPath(query.get(`${prefix}path`)),
    find: query.get(`${prefix}find`) ?? "",
    colour: colour !== null && COLOURS.includes(colour) ? colour as ColourMode : null,
    thread: query.get(`${prefix}lane`),
    tab: query.get(`${prefix}tab`) === "table" ? "table" : "graph",
    collapsesRecursion: query.get(`${prefix}recursion`) === "folded",
    hidden: hidden.filter((hash) => /^[0-9a-f]{8}$/.test(hash)).slice(0, MAX_HIDDEN),
  };
}

/** The query with the state of a graph in it; other parameters stay as they are. */
function writtenAddress(
  query: URLSearchParams,
  address: FlameAddress,
  prefix = "",
): URLSearchParams {
  const path = address.path.join(",");
  const values = {
    path: path.length > MAX_PATH ? "" : path,
    find: address.find,
    colour: address.colour ?? "",
    lane: address.thread ?? "",
    tab: address.tab === "table" ? "table" : "",
    recursion: address.collapsesRecursion ? "folded" : "",
    hide: address.hidden.join(","),
  };
  const written = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") written.delete(prefix + name);
    else written.set(prefix + name, value);
  }
  return written;
}

/** A query as text, with commas and colons as they are: a path has many of them. */
function queryText(query: URLSearchParams): string {
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text === "" ? "" : `?${text}`;
}

/** An address of this site with the state of a graph in it. */
export function hrefOf(page: URL, address: FlameAddress, prefix = ""): string {
  return page.pathname + queryText(writtenAddress(page.searchParams, address, prefix));
}

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
