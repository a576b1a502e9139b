import type { Tracing } from "../../releases/request_scope.ts";
import { OTHER_TRANSACTIONS } from "../../store/stats/name_caps.ts";
import type { Folded } from "../../store/stats/series_names.ts";
import { Sparkline } from "../../ui/charts/bar_chart.tsx";
import { Alert } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { Count } from "../../ui/components/values.tsx";
import { FailureShare, ShareOf } from "../../ui/figures.tsx";
import {
  formatCount,
  formatDateTime,
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
} from "../../ui/format.ts";
import { sectionPath } from "../../ui/links.ts";
import { scopedHref } from "../../ui/scope.ts";
import { TracingPage } from "../../ui/scoped_page.tsx";
import type { Shell } from "../../ui/shell.ts";
import {
  ChoiceLinks,
  ListBox,
  SearchForm,
  sortHeader,
  type Sorting,
  sortingText,
} from "../../ui/sorted_list.tsx";
import { transactionHref } from "../../ui/trace_links.ts";
import { NoTraces } from "../list_parts.tsx";
import {
  TRANSACTION_COLUMNS,
  type TransactionList,
  type TransactionRow,
  trendKey,
} from "./load_transactions.ts";

export interface TransactionListView extends TransactionList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** Links of operations; more are found by searching. */
const MAX_OPS = 12;

/** All transactions of a project by name. */
export function TransactionListPage(view: TransactionListView) {
  const { shell, tracing, list, sorting, query, op, ops, folded, isCut } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "transactions");
  const keep = { query, op, sort: sortingText(sorting) };
  const hrefOf = (changed: Record<string, string | null>) =>
    scopedHref(path, scope, { ...keep, ...changed });
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="transactions"
      sampled={view.sampled}
      keep={keep}
      description="What your services do, by name: how often, how fast, how often it fails."
    >
      <SearchForm
        path={path}
        scope={scope}
        query={query}
        label="Search transactions"
        placeholder="Part of a name; * stands for anything"
        keep={{ op, sort: keep.sort }}
      />
      {ops.length > 1 && (
        <ChoiceLinks
          label="Operations"
          choices={["", ...ops.slice(0, MAX_OPS)]}
          chosen={op}
          hrefOf={(each) => hrefOf({ op: each })}
        />
      )}
      <ListBox
        list={list}
        unit="transactions"
        hrefOf={(page) => hrefOf({ page })}
        isCut={isCut}
        none={
          <NoTraces
            tracing={tracing}
            what="transactions"
            path={path}
            isSearched={query !== "" || op !== ""}
          />
        }
      >
        <TransactionTable
          tracing={tracing}
          rows={list.rows}
          sorting={sorting}
          hrefOf={(sort) => hrefOf({ sort })}
          trends={view.trends}
        />
      </ListBox>
      {folded && <FoldedNote tracing={tracing} folded={folded} />}
    </TracingPage>
  );
}

interface TransactionTableProps {
  readonly tracing: Tracing;
  readonly rows: readonly TransactionRow[];
  readonly sorting: Sorting;
  readonly hrefOf: (sort: string) => string;
  readonly trends: ReadonlyMap<string, readonly number[]>;
}

/** Transactions by name: how many, how fast, how often they fail, what they take of all time. */
function TransactionTable(
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

/** Tells that names were folded into one, how many, and what to do about it. */
function FoldedNote({ tracing, folded }: { tracing: Tracing; folded: Folded }) {
  const { project, scope } = tracing;
  const { transactions, names, example } = folded;
  return (
    <Alert kind="warning" title="Too many names" class="mt-3">
      {formatExact(transactions)} transactions of about {formatCount(names)}{" "}
      names are counted together as{" "}
      <a class="link" href={transactionHref(project.id, scope, OTHER_TRANSACTIONS)}>
        {OTHER_TRANSACTIONS}
      </a>: a project has 2,000 names an hour. One of them is{" "}
      <code class="wrap-anywhere">{example}</code>. Name transactions after routes, such as{" "}
      <code>GET /orders/:id</code>, not after what was asked for.
    </Alert>
  );
}
