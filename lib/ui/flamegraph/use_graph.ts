import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type FlameAddress, readAddress, writeAddress } from "./address.ts";
import { type ColourMode, nodeColours } from "./colours.ts";
import {
  type FlameChart,
  type FlameData,
  type FlameTree,
  flameTree,
  reshaped,
} from "./flame_tree.ts";
import { find, type Found, readSearch, type Search } from "./functions.ts";
import { type FlameLayout, layoutOf } from "./layout.ts";
import { type FlamePath, follow, hashOfFrame, lackingPath, pathOf, spliced } from "./path.ts";
import type { FlameSettings } from "./settings.ts";

/** Everything that is shown of a graph, and how to change it. */
export interface Graph {
  readonly address: FlameAddress;
  readonly tree: FlameTree;
  readonly layout: FlameLayout;
  readonly colourMode: ColourMode;
  readonly colours: Uint8Array;
  readonly search: Search;
  readonly found: Found | null;
  /** The node that is zoomed to; 0: all. */
  readonly zoomed: number;
  /** The node that the keyboard is at. */
  readonly focused: number;
  readonly source: Source;
  /** Changes the state and the page's address. */
  readonly change: (change: Partial<FlameAddress>) => void;
  readonly focus: (node: number) => void;
  readonly zoomTo: (node: number) => void;
}

/** Keeps the state of a graph: in the page's address what a link restores, the rest here. Browser only. */
export function useGraph(data: FlameData, settings: FlameSettings): Graph {
  const { prefix } = settings;
  const [address, setAddress] = useState(() =>
    readAddress(new URLSearchParams(location.search), prefix)
  );
  const [focusPath, setFocusPath] = useState<FlamePath>(address.path);
  const [lacking, setLacking] = useState<FlamePath | null>(null);
  // Keys come faster than renderings: what they act on is what was decided last.
  const latest = useRef(address);

  const source = useSource(data, settings, address.thread, lacking);
  const { tree, layout } = useShown(source.tree, address);
  const zoomed = useMemo(() => follow(tree, address.path).node, [tree, address.path]);
  const focused = useMemo(() => follow(tree, focusPath).node, [tree, focusPath]);
  const colourMode = address.colour ?? (tree.base === null ? "package" : "diff");
  const colours = useMemo(() => nodeColours(tree, colourMode), [tree, colourMode]);
  const search = useMemo(() => readSearch(address.find), [address.find]);
  const found = useMemo(() => find(tree, search), [tree, search]);

  useEffect(() => {
    const path = lackingPath(source.tree, tree, address.path);
    setLacking((before) => before?.join() === path?.join() ? before : path);
  }, [source.tree, tree, address.path]);
  useEffect(() => {
    const onPopState = () => {
      latest.current = readAddress(new URLSearchParams(location.search), prefix);
      setAddress(latest.current);
    };
    globalThis.addEventListener("popstate", onPopState);
    return () => globalThis.removeEventListener("popstate", onPopState);
  }, [prefix]);

  const change = (change: Partial<FlameAddress>) => {
    latest.current = { ...latest.current, ...change };
    setAddress(latest.current);
    writeAddress(latest.current, prefix);
  };
  return {
    address,
    tree,
    layout,
    colourMode,
    colours,
    search,
    found,
    zoomed,
    focused,
    source,
    change,
    focus: (node) => setFocusPath(pathOf(tree, node)),
    zoomTo: (node) => {
      const path = pathOf(tree, node);
      setFocusPath(path);
      change({ path });
    },
  };
}

function useShown(source: FlameTree, { hidden, collapsesRecursion }: FlameAddress) {
  return useMemo(() => {
    const hashes = new Set(hidden);
    const frames = source.frames.names.keys().filter((frame) =>
      frame > 0 && hashes.size > 0 && hashes.has(hashOfFrame(source.frames, frame))
    );
    const tree = reshaped(source, { hidden: new Set(frames), collapsesRecursion });
    return { tree, layout: layoutOf(tree) };
  }, [source, hidden, collapsesRecursion]);
}

/** The tree to show, and how far the loading of what it lacks has come. */
interface Source {
  readonly tree: FlameTree;
  readonly loading: "none" | "loading" | "failed";
  readonly retry: () => void;
}

/** What is to be loaded: a chart, or what is below a path. */
type Wanted =
  | { readonly kind: "chart"; readonly key: string; readonly thread: string }
  | { readonly kind: "path"; readonly key: string; readonly path: FlamePath };

/**
 * Keeps the tree that is shown: the merged one, or the chart of a thread once it is there.
 *
 * @param thread whose chart is wanted; null: the merged tree
 * @param lacking the way to a node of the merged tree for which more is wanted, or null
 */
function useSource(
  data: FlameData,
  { dataHref, timeOrder }: Pick<FlameSettings, "dataHref" | "timeOrder">,
  thread: string | null,
  lacking: FlamePath | null,
): Source {
  const first = useMemo(() => flameTree(data), [data]);
  const [merged, setMerged] = useState(first);
  const [charts, setCharts] = useState<ReadonlyMap<string, FlameTree>>(new Map());
  const [failed, setFailed] = useState<string | null>(null);
  /** Keys of what was loaded. */
  const done = useRef(new Set<string>());
  useEffect(() => {
    done.current.clear();
    setMerged(first);
  }, [first]);

  const wanted = wantedOf(timeOrder === null ? null : thread, lacking);
  const key = wanted === null || done.current.has(wanted.key) ? null : wanted.key;
  useEffect(() => {
    if (wanted === null || key === null || failed === key) return;
    const asking = new AbortController();
    const load = async () => {
      if (wanted.kind === "chart") {
        const chart = await loadFlameChart(timeOrder?.href ?? "", wanted.thread, asking.signal);
        done.current.add(key);
        setCharts((charts) => new Map(charts).set(wanted.thread, flameTree(chart)));
        return;
      }
      const { path } = wanted;
      const answer = await loadFlameData(dataHref, path, asking.signal);
      done.current.add(key);
      // An answer that does not fit changes nothing, but must be noticed to end the loading.
      setMerged((tree) => spliced(tree, follow(tree, path).node, path, answer) ?? { ...tree });
    };
    load().catch(() => {
      if (!asking.signal.aborted) setFailed(key);
    });
    return () => asking.abort();
  }, [key, failed]);

  return {
    tree: (thread === null ? undefined : charts.get(thread)) ?? merged,
    loading: key === null ? "none" : failed === key ? "failed" : "loading",
    retry: () => setFailed(null),
  };
}

function wantedOf(thread: string | null, lacking: FlamePath | null): Wanted | null {
  if (thread !== null) return { kind: "chart", key: `thread ${thread}`, thread };
  return lacking && { kind: "path", key: `path ${lacking.join(",")}`, path: lacking };
}

/**
 * Reads the whole graph, or what is below a path.
 *
 * @throws {Error} when the server does not answer with a graph
 */
export async function loadFlameData(
  href: string,
  path: FlamePath,
  signal?: AbortSignal,
): Promise<FlameData> {
  const url = new URL(href, location.href);
  if (path.length > 0) url.searchParams.set("path", path.join(","));
  return await readGraph(url, signal) as FlameData;
}

/** There are no profiles, or no longer. */
export class NothingToDraw extends Error {
  override name = "NothingToDraw";
}

/**
 * Reads the chart of a thread in order of time.
 *
 * @throws {Error} when the server does not answer with a graph
 */
async function loadFlameChart(
  template: string,
  thread: string,
  signal?: AbortSignal,
): Promise<FlameChart> {
  const href = template.replace("{thread}", encodeURIComponent(thread));
  const chart = await readGraph(new URL(href, location.href), signal);
  if (!("starts" in chart)) throw new Error("The server did not answer with a chart");
  return chart as FlameChart;
}

async function readGraph(url: URL, signal?: AbortSignal): Promise<object> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    signal: signal ?? null,
  });
  if (response.status === 404) throw new NothingToDraw(`There is nothing at ${url.pathname}`);
  // Somebody whose session has ended is sent to the sign-in page, which is no JSON.
  if (!response.ok || response.redirected) throw new Error(`Cannot read ${url.pathname}`);
  const graph: unknown = await response.json();
  if (typeof graph !== "object" || graph === null || !("depths" in graph)) {
    throw new Error("The server did not answer with a graph");
  }
  return graph;
}
