import { t } from "../../core/language/translate.ts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Alert } from "../components/panel.tsx";
import { isTyping } from "../page_life.ts";
import { hrefOf } from "./address.ts";
import { type FlameData, isWithin } from "./flame_tree.ts";
import { fileOf } from "./frames.ts";
import { FunctionName, FunctionTable, TABLE_ROW_PX, TableNote } from "./function_table.tsx";
import {
  type FunctionOrder,
  type FunctionRow,
  functionsOf,
  nextFound,
  sortedRows,
} from "./functions.ts";
import { LiveStage, pageCommand, type StageHandle } from "./live_stage.tsx";
import { Legend, Toolbar } from "./toolbar.tsx";
import { filledLink, type FlameSettings } from "./settings.ts";
import { type Graph, useGraph } from "./use_graph.ts";

interface LiveFlameGraphProps {
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
        <Alert
          kind="warning"
          title={t("A part of the graph could not be loaded")}
          isLive
          class="mb-2"
        >
          <button type="button" class="link" onClick={source.retry}>{t("Try again")}</button>
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

/** Rows drawn above and below those in sight, and the steps in which they change. */
const SPARE_ROWS = 20;
/** Drawn before the height of the box is known. */
const FIRST_ROWS = 60;

interface LiveTableProps {
  readonly graph: Graph;
  readonly settings: FlameSettings;
  /** Shows a function in the graph. */
  readonly onFind: (name: string) => void;
}

/** The functions of the graph, sorted by any column and narrowed by the search; only rows in sight are drawn. */
function LiveTable({ graph, settings, onFind }: LiveTableProps) {
  const { tree, found } = graph;
  const { title, sides, links } = settings;
  const box = useRef<HTMLDivElement>(null);
  const [order, setOrder] = useState<FunctionOrder>("self");
  const [isReversed, setReversed] = useState(false);
  const [first, setFirst] = useState(0);
  const all = useMemo(() => functionsOf(tree), [tree]);
  const rows = useMemo(() => {
    const kept = found === null ? all : all.filter(({ frame }) => found.frames[frame] === 1);
    return sortedRows(kept, order, isReversed);
  }, [all, found, order, isReversed]);

  const count = Math.ceil((box.current?.clientHeight ?? FIRST_ROWS * TABLE_ROW_PX) / TABLE_ROW_PX) +
    2 * SPARE_ROWS;
  const from = Math.max(0, Math.min(first, rows.length - count));
  const onScroll = () => {
    const row = Math.floor((box.current?.scrollTop ?? 0) / TABLE_ROW_PX);
    setFirst(Math.max(0, Math.floor(row / SPARE_ROWS) * SPARE_ROWS - SPARE_ROWS));
  };
  const onSort = (next: FunctionOrder) => {
    setReversed(next === order && !isReversed);
    setOrder(next);
    if (box.current !== null) box.current.scrollTop = 0;
  };
  const nameOf = (row: FunctionRow) => {
    const at = { name: row.name, file: fileOf(tree.frames, row.frame), line: 0 };
    if (filledLink(links.function, at) !== null) return <FunctionName {...{ row, tree, links }} />;
    return (
      <button type="button" class="link" title={row.name} onClick={() => onFind(row.name)}>
        <bdi>{row.name}</bdi>
      </button>
    );
  };
  return (
    <>
      <div
        ref={box}
        class="flame-table-box"
        role="region"
        aria-label={t("Functions of {title}", { title })}
        tabindex={0}
        onScroll={onScroll}
      >
        <FunctionTable
          {...{ tree, title, sides, nameOf }}
          rows={rows.slice(from, from + count)}
          window={{ count: rows.length, first: from }}
          sorting={{ order, isReversed, onSort }}
        />
      </div>
      <TableNote tree={tree} shown={rows.length} count={rows.length} />
    </>
  );
}
