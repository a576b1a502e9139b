import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FlameData } from "./flame_data.ts";
import { type FlameAddress, readAddress } from "./address.ts";
import { type ColourMode, nodeColours } from "./colours.ts";
import type { FlameTree } from "./flame_tree.ts";
import { type FlameLayout, layoutOf } from "./layout.ts";
import { type FlamePath, follow, hashOfFrame, pathOf } from "./path.ts";
import { reshaped } from "./reshape.ts";
import { find, type Found, readSearch, type Search } from "./search.ts";
import { lackingPath } from "./splice.ts";
import type { FlameSettings } from "./settings.ts";
import { writeAddress } from "./write_address.ts";
import { type Source, useSource } from "./use_source.ts";

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
