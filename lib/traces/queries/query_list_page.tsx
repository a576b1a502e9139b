import { t } from "../../core/language/translate.ts";
import type { PageView } from "../../releases/request_scope.ts";
import { Tabs } from "../../ui/components/page.tsx";
import { FailureShare, ShareOf } from "../../ui/components/values.tsx";
import { formatDuration, formatExact, formatPercent, formatRate } from "../../ui/format.ts";
import { queryGroupHref, sectionPath } from "../../ui/links.ts";
import { EVERYTHING, type Scope, scopedHref } from "../../ui/scope.ts";
import { sortingText } from "../../ui/sorted_list.tsx";
import { CallCount, CATEGORY_WORDS, LastSeen, StatListPage } from "../list_parts.tsx";
import {
  categoryNamed,
  QUERY_COLUMNS,
  QUERY_TABS,
  type QueryList,
  type QueryRow,
  rowKey,
} from "./load_queries.ts";

export type QueryListView = QueryList & PageView;

/** What the services of a project ask of databases, of other services, of caches and queues. */
export function QueryListPage(view: QueryListView) {
  const { pageScope, choice: { tab, categories, id }, sorting, query, callers } = view;
  const { project, scope } = pageScope;
  return (
    <StatListPage
      {...view}
      section="queries"
      what={tab.what}
      keep={{ category: id, query, sort: sortingText(sorting) }}
      description={t(
        "What your code waits for, without the values: statements, hosts, keys, queues.",
      )}
      placeholder={t("Part of a statement, a host, a name; * stands for anything")}
      isSearched={query !== ""}
      wholeHref={scopedHref(sectionPath(project.id, "queries"), EVERYTHING, { category: id })}
      head={(form, hrefOf) => (
        <>
          <Tabs
            label={t("Kinds of calls")}
            tabs={QUERY_TABS.map((each) => ({
              href: hrefOf({ category: each.id }),
              label: t(each.label),
              isCurrent: each === tab,
            }))}
          />
          <div class="mt-3">{form}</div>
        </>
      )}
      caption={t("Queries and calls")}
      columns={QUERY_COLUMNS}
      rowKey={rowKey}
      cells={{
        group: (row) => (
          <Work projectId={project.id} scope={scope} row={row} isMixed={categories.length > 1} />
        ),
        count: ({ count }) => <CallCount calls={count} />,
        rpm: ({ perMinute }) => formatRate(perMinute),
        time: ({ share, totalMs }) => (
          <ShareOf
            share={share}
            title={t("{share} of all time in this list", { share: formatPercent(share) })}
          >
            {formatDuration(totalMs)}
          </ShareOf>
        ),
        avg: ({ averageMs }) => formatDuration(averageMs),
        p95: ({ p95 }) => formatDuration(p95),
        failures: ({ failureRate }) => <FailureShare rate={failureRate} />,
        callers: (row) => (
          <span title={t("Transactions by name that have such spans")}>
            {formatExact(callers.get(rowKey(row)) ?? null)}
          </span>
        ),
        seen: ({ lastSeen }) => <LastSeen period={lastSeen} pageScope={pageScope} />,
      }}
    />
  );
}

interface WorkProps {
  readonly projectId: string;
  readonly scope: Scope;
  readonly row: QueryRow;
  /** Rows are of several categories: each says which. */
  readonly isMixed: boolean;
}

function Work({ projectId, scope, row, isMixed }: WorkProps) {
  const category = categoryNamed(row.category);
  return (
    <>
      <a
        class="row-link line-clamp-2 font-mono wrap-anywhere"
        title={row.group}
        href={queryGroupHref(projectId, scope, row)}
      >
        <bdi>{row.group}</bdi>
      </a>
      {isMixed && category && (
        <span class="block text-meta text-muted">{t(CATEGORY_WORDS[category])}</span>
      )}
    </>
  );
}
