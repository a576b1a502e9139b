import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FlameData } from "./flame_data.ts";
import { Alert } from "../components/alert.tsx";
import { Legend } from "./legend.tsx";
import { hrefOf } from "./address.ts";
import { nextFound } from "./search.ts";
import { isWithin } from "./flame_tree.ts";
import type { FlameSettings } from "./settings.ts";
import { pageCommand } from "./keys.ts";
import { LiveStage, type StageHandle } from "./live_stage.tsx";
import { LiveTable } from "./live_table.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useGraph } from "./use_graph.ts";

export interface LiveFlameGraphProps {
  readonly data: FlameData;
  readonly settings: FlameSettings;
  /** Id of what the server drew in its place. */
  readonly staticId: string;
}

/** The flame graph that zooms, searches and walks, with its table. Browser only. */
export function LiveFlameGraph({ data, settings, staticId }: LiveFlameGraphProps) {
  const graph = useGraph(data, settings);
  const stage = useRef<StageHandle>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const [isMoved, setMoved] = useState(false);
  const { address, tree, found, focused, zoomed, source } = graph;

  const reset = () => {
    setMoved(false);
    if (address.path.length > 0) graph.change({ path: [] });
    stage.current?.showWhole();
  };
  const goToFound = (step: 1 | -1) => {
    if (found === null) return;
    const next = nextFound(found, focused, step, (node) => isWithin(tree, node, zoomed)) ??
      nextFound(found, focused, step);
    if (next === null) return;
    if (!isWithin(tree, next, zoomed)) graph.change({ path: [] });
    graph.focus(next);
    stage.current?.reveal(next);
  };
  /** Returns whether the key meant something. */
  const onPageKey = (key: string): boolean => {
    const command = pageCommand(key);
    if (command?.kind === "search" && searchField.current !== null) searchField.current.focus();
    else if (command?.kind === "reset" && (zoomed > 0 || isMoved)) reset();
    else if (command?.kind === "next" && found !== null) goToFound(1);
    else if (command?.kind === "previous" && found !== null) goToFound(-1);
    else return false;
    return true;
  };

  useLayoutEffect(() => document.getElementById(staticId)?.remove(), [staticId]);
  const latest = useRef(onPageKey);
  latest.current = onPageKey;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isTyping(event.target) && latest.current(event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);

  const here = new URL(location.href);
  return (
    <div>
      <Toolbar
        {...{ graph, settings, searchField, isMoved }}
        hrefOfTab={(tab) => hrefOf(here, { ...address, tab }, settings.prefix)}
        onReset={reset}
        onStep={goToFound}
        onLeaveSearch={() => stage.current?.focus()}
        onPng={() => stage.current?.savePng()}
      />
      {source.loading === "failed" && (
        <Alert kind="warning" title="A part of the graph could not be loaded" isLive class="mb-2">
          <button type="button" class="link" onClick={source.retry}>Try again</button>
        </Alert>
      )}
      {address.tab === "table"
        ? (
          <LiveTable
            {...{ graph, settings }}
            onFind={(find) => graph.change({ find, tab: "graph" })}
          />
        )
        : (
          <>
            <Legend tree={tree} mode={graph.colourMode} />
            <LiveStage
              {...{ graph, settings }}
              handle={stage}
              onMove={() => setMoved(true)}
              onReset={reset}
            />
          </>
        )}
    </div>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"));
}
