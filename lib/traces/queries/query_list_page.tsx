import type { Tracing } from "../../releases/request_scope.ts";
import { Tabs } from "../../ui/components/page.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { Count } from "../../ui/components/values.tsx";
import { FailureShare, ShareOf } from "../../ui/figures.tsx";
import { formatDuration, formatExact, formatPercent, formatRate } from "../../ui/format.ts";
import { sectionPath } from "../../ui/links.ts";
import { EVERYTHING, scopedHref } from "../../ui/scope.ts";
import { TracingPage } from "../../ui/scoped_page.tsx";
import type { Shell } from "../../ui/shell.ts";
import {
  ListBox,
  SearchForm,
  sortHeader,
  type Sorting,
  sortingText,
} from "../../ui/sorted_list.tsx";
import { queryHref } from "../../ui/trace_links.ts";
import { CATEGORY_WORDS, LastSeen, NoTraces } from "../list_parts.tsx";
import {
  categoryNamed,
  QUERY_COLUMNS,
  QUERY_TABS,
  type QueryList,
  type QueryRow,
  rowKey,
} from "./load_queries.ts";

export interface QueryListView extends QueryList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** What the services of a project ask of databases, of other services, of caches and queues. */
export function QueryListPage(view: QueryListView) {
  const { shell, tracing, choice: { tab, categories, id }, list, sorting, query, isCut } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "queries");
  const keep = { category: id, query, sort: sortingText(sorting) };
  const hrefOf = (changed: Record<string, string | null>) =>
    scopedHref(path, scope, { ...keep, ...changed });
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="queries"
      sampled={view.sampled}
      keep={keep}
      description="What your code waits for, without the values: statements, hosts, keys, queues."
    >
      <Tabs
        label="Kinds of calls"
        tabs={QUERY_TABS.map((each) => ({
          href: hrefOf({ category: each.id }),
          label: each.label,
          isCurrent: each === tab,
        }))}
      />
      <div class="mt-3">
        <SearchForm
          path={path}
          scope={scope}
          query={query}
          label={`Search ${tab.what}`}
          placeholder="Part of a statement, a host, a name; * stands for anything"
          keep={{ category: id, sort: keep.sort }}
        />
      </div>
      <ListBox
        list={list}
        unit={tab.what}
        hrefOf={(page) => hrefOf({ page })}
        isCut={isCut}
        none={
          <NoTraces
            tracing={tracing}
            what={tab.what}
            path={scopedHref(path, EVERYTHING, { category: id })}
            isSearched={query !== ""}
          />
        }
      >
        <QueryTable
          tracing={tracing}
          rows={list.rows}
          sorting={sorting}
          hrefOf={(sort) => hrefOf({ sort })}
          callers={view.callers}
          isMixed={categories.length > 1}
        />
      </ListBox>
    </TracingPage>
  );
}

interface QueryTableProps {
  readonly tracing: Tracing;
  readonly rows: readonly QueryRow[];
  readonly sorting: Sorting;
  readonly hrefOf: (sort: string) => string;
  readonly callers: QueryList["callers"];
  /** Rows are of several categories: each says which. */
  readonly isMixed: boolean;
}

/** Statements, hosts and the like: how often, how long, what they take of all time. */
function QueryTable(props: QueryTableProps) {
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
