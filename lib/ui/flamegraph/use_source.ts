import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FlameData } from "./flame_data.ts";
import { type FlameTree, flameTree } from "./flame_tree.ts";
import { type FlamePath, follow } from "./path.ts";
import { spliced } from "./splice.ts";
import type { FlameSettings } from "./settings.ts";
import { loadFlameChart, loadFlameData } from "./load.ts";

/** The tree to show, and how far the loading of what it lacks has come. */
export interface Source {
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
export function useSource(
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

  const wanted = wantedOf(timeOrder === null ? null : thread, dataHref === null ? null : lacking);
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
      const answer = await loadFlameData(dataHref ?? "", path, asking.signal);
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
