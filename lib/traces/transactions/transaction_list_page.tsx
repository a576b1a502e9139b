import { rich, t } from "../../core/language/translate.ts";
import type { PageScope, PageView } from "../../releases/request_scope.ts";
import { OTHER_TRANSACTIONS } from "../../store/stats/name_caps.ts";
import type { Folded } from "../../store/stats/series_names.ts";
import { Sparkline } from "../../ui/charts/bar_chart.tsx";
import { Alert } from "../../ui/components/panel.tsx";
import { FailureShare, ShareOf } from "../../ui/components/values.tsx";
import {
  formatCount,
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
} from "../../ui/format.ts";
import { ChoiceLinks, sortingText } from "../../ui/sorted_list.tsx";
import { StatListPage, TransactionCount } from "../list_parts.tsx";
import { TRANSACTION_COLUMNS, type TransactionList, trendKey } from "./load_transactions.ts";
import { transactionHref } from "../../ui/links.ts";

export type TransactionListView = TransactionList & PageView;

/** Links of operations; more are found by searching. */
const MAX_OPS = 12;

/** All transactions of a project by name: how many, how fast, how often they fail, what they take of all time. */
export function TransactionListPage(view: TransactionListView) {
  const { pageScope, sorting, query, op, ops, folded, trends } = view;
  const { project, scope } = pageScope;
  return (
    <StatListPage
      {...view}
      section="transactions"
      what="transactions"
      keep={{ query, op, sort: sortingText(sorting) }}
      description={t("What your services do, by name: how often, how fast, how often it fails.")}
      placeholder={t("Part of a name; * stands for anything")}
      isSearched={query !== "" || op !== ""}
      head={(form, hrefOf) => (
        <>
          {form}
          {ops.length > 1 && (
            <ChoiceLinks
              label={t("Operations")}
              choices={["", ...ops.slice(0, MAX_OPS)]}
              chosen={op}
              hrefOf={(each) => hrefOf({ op: each })}
            />
          )}
        </>
      )}
      caption={t("Transactions")}
      columns={TRANSACTION_COLUMNS}
      rowKey={trendKey}
      cells={{
        name: (row) => (
          <>
            <a
              class="row-link block truncate font-medium"
              title={row.name}
              href={transactionHref(project.id, scope, row.name)}
            >
              <bdi>{row.name}</bdi>
            </a>
            <span class="block truncate text-meta text-muted">{row.op}</span>
          </>
        ),
        trend: (row) => (
          <Sparkline
            counts={trends.get(trendKey(row)) ?? []}
            label="{n} transaction|{n} transactions"
          />
        ),
        count: ({ count }) => <TransactionCount count={count} />,
        tpm: ({ count, perMinute }) => (
          <span title={t("{n} transaction|{n} transactions", { n: count })}>
            {formatRate(perMinute)}
          </span>
        ),
        p50: ({ p50 }) => formatDuration(p50),
        p75: ({ p75 }) => formatDuration(p75),
        p95: ({ p95 }) => formatDuration(p95),
        p99: ({ p99 }) => formatDuration(p99),
        failures: ({ failureRate }) => <FailureShare rate={failureRate} />,
        users: ({ users }) => formatExact(users),
        time: ({ share, totalMs }) => (
          <ShareOf share={share} title={t("{share} of all time", { share: formatPercent(share) })}>
            {formatDuration(totalMs)}
          </ShareOf>
        ),
      }}
    >
      {folded && <FoldedNote pageScope={pageScope} folded={folded} />}
    </StatListPage>
  );
}

/** Tells that names were folded into one, how many, and what to do about it. */
function FoldedNote({ pageScope, folded }: { pageScope: PageScope; folded: Folded }) {
  const { project, scope } = pageScope;
  const { transactions, names, example } = folded;
  return (
    <Alert kind="warning" title={t("Too many names")} class="mt-3">
      {rich(
        "{n} transactions of about {names} names are counted together as {other}: a project has 2,000 names an hour. One of them is {example}. Name transactions after routes, such as <code>GET /orders/:id</code>, not after what was asked for.",
        {
          n: transactions,
          names: formatCount(names),
          other: (
            <a class="link" href={transactionHref(project.id, scope, OTHER_TRANSACTIONS)}>
              {OTHER_TRANSACTIONS}
            </a>
          ),
          example: <code class="wrap-anywhere">{example}</code>,
          code: (words) => <code>{words}</code>,
        },
      )}
    </Alert>
  );
}
