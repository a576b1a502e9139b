import { t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { Icon } from "../components/icon.tsx";
import { formatExact } from "../format.ts";
import type { FlameTree } from "./flame_tree.ts";
import { fileOf } from "./frames.ts";
import { type FunctionOrder, type FunctionRow, functionsOf } from "./functions.ts";
import { filledLink, type FlameLinks } from "./settings.ts";
import { changeText, differenceText, shareText, type SideNames, valueText } from "./words.ts";

/** Height of a row, by which the script finds out which are in sight. */
export const TABLE_ROW_PX = 28;

interface FunctionTableProps {
  readonly tree: FlameTree;
  readonly title: string;
  readonly sides: SideNames;
  readonly rows: readonly FunctionRow[];
  /** The function's name, as a link or a button. */
  readonly nameOf: (row: FunctionRow) => ComponentChildren;
  /** Number of all rows, and of the first that is drawn, when only those in sight are. */
  readonly window?: { readonly count: number; readonly first: number };
  /** How it is sorted, and what a press of a column's head does. */
  readonly sorting?: {
    readonly order: FunctionOrder;
    readonly isReversed: boolean;
    readonly onSort: (order: FunctionOrder) => void;
  };
}

interface Column {
  /** What a press of its head sorts by; null: nothing of its own. */
  readonly order: FunctionOrder | null;
  readonly label: string;
  readonly isText?: boolean;
  readonly cell: (row: FunctionRow) => ComponentChildren;
}

/** The functions of a flame graph with the same figures, for reading and for sorting. */
export function FunctionTable(props: FunctionTableProps) {
  const { rows, window = { count: rows.length, first: 0 }, title } = props;
  const columns = columnsOf(props);
  const after = window.count - window.first - rows.length;
  return (
    <table class="flame-table" aria-rowcount={window.count + 1}>
      <caption class="sr-only">{t("Functions of {title}", { title })}</caption>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => <Head key={column.label} {...{ column }} {...props} />)}
        </tr>
      </thead>
      <tbody>
        <Gap rows={window.first} columns={columns.length} />
        {rows.map((row, index) => (
          <tr key={row.frame} aria-rowindex={window.first + index + 2}>
            {columns.map(({ label, cell }, column) =>
              column === 0
                ? <th key={label} scope="row">{cell(row)}</th>
                : <td key={label}>{cell(row)}</td>
            )}
          </tr>
        ))}
        <Gap rows={after} columns={columns.length} />
      </tbody>
    </table>
  );
}

/** Stands for rows that are not drawn. */
function Gap({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return rows <= 0 ? null : (
    <tr aria-hidden="true" class="flame-gap">
      <td colSpan={columns} height={rows * TABLE_ROW_PX} />
    </tr>
  );
}

function Head({ column, sorting }: FunctionTableProps & { readonly column: Column }) {
  const { label, order, isText } = column;
  const isSorted = order !== null && sorting?.order === order;
  const goesUp = isSorted && (isText === true) !== sorting?.isReversed;
  return (
    <th
      scope="col"
      aria-sort={!isSorted ? undefined : goesUp ? "ascending" : "descending"}
    >
      {sorting && order !== null
        ? (
          <button
            type="button"
            class="inline-flex items-center gap-1 hover:text-ink"
            onClick={() => sorting.onSort(order)}
          >
            {label}
            {isSorted && <Icon name={goesUp ? "sort-up" : "sort-down"} size={12} />}
          </button>
        )
        : label}
    </th>
  );
}

function columnsOf({ tree, sides, nameOf }: FunctionTableProps): Column[] {
  const all = tree.totals[0] ?? 0;
  const place: Column = {
    order: "place",
    label: t("File"),
    isText: true,
    cell: (row) => <bdi title={row.place}>{row.place || "–"}</bdi>,
  };
  const name: Column = { order: "name", label: t("Function"), isText: true, cell: nameOf };
  if (tree.base !== null) {
    return [
      name,
      { order: "self", label: t("Self"), cell: ({ self }) => valueText(tree, self) },
      {
        order: null,
        label: t("Total, {before}", { before: sides.before }),
        cell: ({ baseTotal }) => valueText(tree, baseTotal),
      },
      {
        order: "total",
        label: t("Total, {after}", { after: sides.after }),
        cell: ({ total }) => valueText(tree, total),
      },
      {
        order: "change",
        label: t("Change@@difference"),
        cell: ({ total, baseTotal }) =>
          `${differenceText(tree, total - baseTotal)} (${changeText(baseTotal, total)})`,
      },
      place,
    ];
  }
  return [
    name,
    { order: "self", label: t("Self"), cell: ({ self }) => valueText(tree, self) },
    { order: null, label: t("Self %"), cell: ({ self }) => shareText(self, all) },
    { order: "total", label: t("Total"), cell: ({ total }) => valueText(tree, total) },
    { order: null, label: t("Total %"), cell: ({ total }) => shareText(total, all) },
    place,
  ];
}

/** As many rows as a page can bear. */
const MAX_ROWS = 1_000;

interface StaticTableProps {
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
      <div
        class="flame-table-box"
        role="region"
        aria-label={t("Functions of {title}", { title })}
        tabindex={0}
      >
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
