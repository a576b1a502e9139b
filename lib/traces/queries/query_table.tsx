import { Count } from "../../ui/components/count.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatExact, formatPercent, formatRate } from "../../ui/format.ts";
import { CATEGORY_WORDS } from "../category_words.ts";
import { FailureShare } from "../../ui/failure_share.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { ShareOf } from "../../ui/share_of.tsx";
import { sortHeader, type Sorting } from "../../ui/sorting.ts";
import { LastSeen } from "../last_seen.tsx";
import { QUERY_COLUMNS, type QueryList, type QueryRow, rowKey } from "./load_list.ts";
import { queryHref } from "../../ui/queries_paths.ts";
import { categoryNamed } from "./tabs.ts";

export interface QueryTableProps {
  readonly tracing: Tracing;
  readonly rows: readonly QueryRow[];
  readonly sorting: Sorting;
  readonly hrefOf: (sort: string) => string;
  readonly callers: QueryList["callers"];
  /** Rows are of several categories: each says which. */
  readonly isMixed: boolean;
}

/** Statements, hosts and the like: how often, how long, what they take of all time. */
export function QueryTable(props: QueryTableProps) {
  const { tracing, rows, sorting, hrefOf, callers } = props;
  const columns = QUERY_COLUMNS.map((column) => sortHeader(column, sorting, hrefOf, rows[0]));
  columns.splice(-1, 0, { label: "Callers", align: "right", class: "max-lg:hidden" });
  return (
    <Table caption="Queries and calls" columns={columns}>
      {rows.map((row) => (
        <Row key={rowKey(row)}>
          <Cell class="w-full max-w-0 min-w-40">
            <Work {...props} row={row} />
          </Cell>
          <Cell align="right" class="max-lg:hidden">
            <Count value={Math.round(row.count)} unit="calls" />
          </Cell>
          <Cell align="right" class="max-sm:hidden">{formatRate(row.perMinute)}</Cell>
          <Cell align="right">
            <ShareOf
              share={row.share}
              title={`${formatPercent(row.share)} of all time in this list`}
            >
              {formatDuration(row.totalMs)}
            </ShareOf>
          </Cell>
          <Cell align="right" class="max-sm:hidden">{formatDuration(row.averageMs)}</Cell>
          <Cell align="right" class="max-md:hidden">{formatDuration(row.p95)}</Cell>
          <Cell align="right" class="max-md:hidden">
            <FailureShare rate={row.failureRate} />
          </Cell>
          <Cell align="right" class="max-lg:hidden">
            <span title="Transactions by name that have such spans">
              {formatExact(callers.get(rowKey(row)) ?? null)}
            </span>
          </Cell>
          <Cell align="right" class="max-xl:hidden">
            <LastSeen period={row.lastSeen} tracing={tracing} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Work(
  { tracing: { project, scope }, row, isMixed }: QueryTableProps & { readonly row: QueryRow },
) {
  const category = categoryNamed(row.category);
  return (
    <>
      <a
        class="row-link line-clamp-2 font-mono wrap-anywhere"
        title={row.group}
        href={queryHref(project.id, scope, row)}
      >
        <bdi>{row.group}</bdi>
      </a>
      {isMixed && category && (
        <span class="block text-meta text-muted">{CATEGORY_WORDS[category]}</span>
      )}
    </>
  );
}
