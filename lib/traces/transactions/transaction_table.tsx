import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { Count } from "../../ui/components/count.tsx";
import { Sparkline } from "../../ui/charts/sparkline.tsx";
import {
  formatDateTime,
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
} from "../../ui/format.ts";
import { transactionHref } from "../../ui/tracing_paths.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { sortHeader, type Sorting } from "../../ui/sorting.ts";
import { TRANSACTION_COLUMNS, type TransactionRow, trendKey } from "./load_transactions.ts";
import { FailureShare } from "../../ui/failure_share.tsx";
import { ShareOf } from "../../ui/share_of.tsx";

export interface TransactionTableProps {
  readonly tracing: Tracing;
  readonly rows: readonly TransactionRow[];
  readonly sorting: Sorting;
  readonly hrefOf: (sort: string) => string;
  readonly trends: ReadonlyMap<string, readonly number[]>;
}

/** Transactions by name: how many, how fast, how often they fail, what they take of all time. */
export function TransactionTable(
  { tracing, rows, sorting, hrefOf, trends }: TransactionTableProps,
) {
  const { project, scope, interval } = tracing;
  const columns = TRANSACTION_COLUMNS.map((column) => sortHeader(column, sorting, hrefOf, rows[0]));
  columns.splice(1, 0, { label: "Trend", class: "max-md:hidden" });
  return (
    <Table caption="Transactions" columns={columns}>
      {rows.map((row) => (
        <Row key={trendKey(row)}>
          <Cell class="w-full max-w-0 min-w-40 sm:min-w-56">
            <a
              class="row-link block truncate font-medium"
              title={row.name}
              href={transactionHref(project.id, scope, row.name)}
            >
              <bdi>{row.name}</bdi>
            </a>
            <span class="block truncate text-meta text-muted">{row.op}</span>
          </Cell>
          <Cell class="max-md:hidden">
            <Sparkline
              counts={trends.get(trendKey(row)) ?? []}
              label={`transactions since ${formatDateTime(interval.start)}`}
            />
          </Cell>
          <Cell align="right" class="max-lg:hidden">
            <Count value={row.count} unit="transactions" />
          </Cell>
          <Cell align="right" class="max-sm:hidden">
            <span title={`${formatExact(row.count)} transactions`}>
              {formatRate(row.perMinute)}
            </span>
          </Cell>
          <Cell align="right" class="max-lg:hidden">{formatDuration(row.p50)}</Cell>
          <Cell align="right" class="max-xl:hidden">{formatDuration(row.p75)}</Cell>
          <Cell align="right">{formatDuration(row.p95)}</Cell>
          <Cell align="right" class="max-xl:hidden">{formatDuration(row.p99)}</Cell>
          <Cell align="right">
            <FailureShare rate={row.failureRate} />
          </Cell>
          <Cell align="right" class="max-lg:hidden">{formatExact(row.users)}</Cell>
          <Cell align="right">
            <ShareOf share={row.share} title={`${formatPercent(row.share)} of all time`}>
              {formatDuration(row.totalMs)}
            </ShareOf>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
