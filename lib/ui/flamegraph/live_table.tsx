import { useMemo, useRef, useState } from "preact/hooks";
import { FunctionTable, TABLE_ROW_PX } from "./function_table.tsx";
import {
  type FunctionOrder,
  type FunctionRow,
  functionsOf,
  sortedRows,
} from "./functions.ts";
import { fileOf } from "./frames.ts";
import { filledLink } from "./links.ts";
import type { FlameSettings } from "./settings.ts";
import { FunctionName, TableNote } from "./static_table.tsx";
import type { Graph } from "./use_graph.ts";

/** Rows drawn above and below those in sight, and the steps in which they change. */
const SPARE_ROWS = 20;
/** Drawn before the height of the box is known. */
const FIRST_ROWS = 60;

export interface LiveTableProps {
  readonly graph: Graph;
  readonly settings: FlameSettings;
  /** Shows a function in the graph. */
  readonly onFind: (name: string) => void;
}

/** The functions of the graph, sorted by any column and narrowed by the search; only rows in sight are drawn. */
export function LiveTable({ graph, settings, onFind }: LiveTableProps) {
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
        aria-label={`Functions of ${title}`}
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
