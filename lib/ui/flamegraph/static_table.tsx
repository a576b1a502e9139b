import { formatExact } from "../format.ts";
import { FunctionTable } from "./function_table.tsx";
import type { FlameTree } from "./flame_tree.ts";
import { fileOf } from "./frames.ts";
import { type FunctionRow, functionsOf } from "./functions.ts";
import { filledLink, type FlameLinks } from "./links.ts";
import type { SideNames } from "./words.ts";

/** As many rows as a page can bear. */
const MAX_ROWS = 1_000;

export interface StaticTableProps {
  readonly tree: FlameTree;
  readonly title: string;
  readonly sides: SideNames;
  readonly links: FlameLinks;
}

/** The functions of the graph, those with most self first, as the server writes them. */
export function StaticTable({ tree, title, sides, links }: StaticTableProps) {
  const rows = functionsOf(tree);
  return (
    <>
      <div class="flame-table-box" role="region" aria-label={`Functions of ${title}`} tabindex={0}>
        <FunctionTable
          {...{ tree, title, sides }}
          rows={rows.slice(0, MAX_ROWS)}
          nameOf={(row) => <FunctionName {...{ row, tree, links }} />}
        />
      </div>
      <TableNote tree={tree} shown={Math.min(MAX_ROWS, rows.length)} count={rows.length} />
    </>
  );
}

/** A function's name, which leads to its callers and callees when there is such a page. */
export function FunctionName({ row, tree, links }: {
  readonly row: FunctionRow;
  readonly tree: FlameTree;
  readonly links: FlameLinks;
}) {
  const href = filledLink(links.function, {
    name: tree.frames.names[row.frame] ?? "",
    file: fileOf(tree.frames, row.frame),
    line: tree.frames.lines[row.frame] ?? 0,
  });
  return href === null
    ? <bdi title={row.name}>{row.name}</bdi>
    : (
      <a href={href} class="link" title={row.name}>
        <bdi>{row.name}</bdi>
      </a>
    );
}

/** What the table lacks. */
export function TableNote({ tree, shown, count }: {
  readonly tree: FlameTree;
  readonly shown: number;
  readonly count: number;
}) {
  const cut = tree.cut.values().reduce((sum, nodes) => sum + nodes, 0);
  const notes = [
    ...(shown < count
      ? [`The first ${formatExact(shown)} of ${formatExact(count)} functions.`]
      : []),
    ...(cut > 0
      ? [`Not in it: ${formatExact(cut)} boxes that are too small to be seen in the graph.`]
      : []),
  ];
  return notes.length === 0 ? null : <p class="mt-1 text-meta text-muted">{notes.join(" ")}</p>;
}
