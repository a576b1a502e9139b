import { t } from "../../core/language/translate.ts";
import { isFailedStatus } from "../../records/span_rules.ts";
import type { PageView } from "../../releases/request_scope.ts";
import { averageOf, totalTimeOf } from "../../store/stats/stats.ts";
import { quantilesOf } from "../../store/stats/steps.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { TablePanel } from "../../ui/components/table.tsx";
import { FigureStrip, RelativeTime, ShareOf } from "../../ui/components/values.tsx";
import {
  formatCount,
  formatDuration,
  formatExact,
  formatPercent,
  NONE,
  withDecimalMark,
} from "../../ui/format.ts";
import { queryGroupHref, queryPath, sectionPath, transactionHref } from "../../ui/links.ts";
import { EVERYTHING, scopedHref } from "../../ui/scope.ts";
import { alongPage, ChartBox, ProjectPage } from "../../ui/scoped_page.tsx";
import { CallCount, CATEGORY_WORDS, NameLink, NoTraces, TraceLink } from "../list_parts.tsx";
import { FailureChart, figuresOf, RateChart } from "../stat_charts.tsx";
import type { QueryDetail, QueryExample } from "./load_query.ts";
import { HintList } from "./query_hints.tsx";

export type QueryDetailView = QueryDetail & PageView;

/** All that is known of spans that do the same work. */
export function QueryDetailPage(view: QueryDetailView) {
  const { shell, pageScope, params, total } = view;
  const { project, scope } = pageScope;
  const path = queryPath(project.id);
  const isStatement = params.category === "db";
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="queries"
      path={path}
      keep={{ ...params }}
      sampled={total}
      crumbs={[{ label: isStatement ? t("Statement") : params.group }]}
      title={isStatement ? t("Database statement") : <bdi>{params.group}</bdi>}
      description={isStatement
        ? t("As it is without its values: all that differ in values only count as one.")
        : t(CATEGORY_WORDS[params.category])}
    >
      <div class="space-y-4">
        {isStatement && <Statements {...view} />}
        {total.count === 0
          ? (
            <div class="rounded-lg border border-line bg-surface">
              <NoTraces
                pageScope={pageScope}
                what="calls"
                path={queryGroupHref(project.id, EVERYTHING, params)}
                others={{
                  href: scopedHref(sectionPath(project.id, "queries"), scope, {
                    category: params.category,
                  }),
                  label: t("All queries and calls"),
                }}
              />
            </div>
          )
          : (
            <>
              <HintList pageScope={pageScope} category={params.category} hints={view.hints} />
              <Figures {...view} />
              <QueryCharts {...view} />
              <CallerPanel {...view} />
              <ExamplePanel {...view} />
            </>
          )}
      </div>
    </ProjectPage>
  );
}

/** Statements shown in full. */
const MAX_STATEMENTS = 3;

function Statements({ params: { group }, statements }: QueryDetailView) {
  const shown = statements.length === 0 ? [group] : statements.slice(0, MAX_STATEMENTS);
  return (
    <div class="space-y-2">
      {shown.map((statement, place) => (
        <CodeBlock
          key={place}
          id={`statement-${place}`}
          label={t("Statement")}
          language="sql"
          code={statement}
          maxHeight="md"
        />
      ))}
      {statements.length > 1 && (
        <p class="text-sm text-muted">
          {statements.length > MAX_STATEMENTS
            ? t(
              "These begin alike and are counted together, with others: only the first {n} characters tell statements apart.",
              { n: group.length },
            )
            : t(
              "These begin alike and are counted together: only the first {n} characters tell statements apart.",
              { n: group.length },
            )}
        </p>
      )}
    </div>
  );
}

function Figures({ pageScope, total, previous, share }: QueryDetailView) {
  const { rate, totalTime, average, p95, failures } = figuresOf(pageScope, total, previous);
  const calls = Math.round(total.weight);
  return (
    <FigureStrip
      figures={[
        { label: t("Calls"), value: formatCount(calls), title: formatExact(calls) },
        { ...rate, label: t("Throughput") },
        { ...totalTime, title: t("Of all calls, with those that were sampled away") },
        {
          label: t("Share of its kind"),
          value: formatPercent(share),
          title: t("Of the time of all calls of this kind"),
        },
        { ...average, title: `p95 ${p95.value}` },
        { ...failures, label: t("Failure rate") },
      ]}
    />
  );
}

/** Rate, duration and failures of a query: three charts along the time of the page. */
function QueryCharts({ pageScope, total, steps, params }: QueryDetailView) {
  const common = alongPage(pageScope, steps, queryPath(pageScope.project.id), { ...params });
  const chart = { pageScope, total, steps, common };
  const { sketch } = total;
  return (
    <div class="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <RateChart {...chart} title={t("Calls per minute")} label={t("calls")} />
      <ChartBox>
        <TimeChart
          {...common}
          id="durations"
          title={t("Duration")}
          unit="duration"
          series={[
            { label: t("average"), values: steps.stats.map(averageOf), whole: averageOf(total) },
            { label: "p95", values: quantilesOf(steps, 0.95), whole: sketch.quantile(0.95) },
          ]}
        />
      </ChartBox>
      <FailureChart
        {...chart}
        title={t("Failure rate")}
        label={t("failed")}
        class="lg:max-xl:col-span-2"
      />
    </div>
  );
}

const SHOWN = 25;

/** Transactions that have spans of the group, by name. */
function CallerPanel({ pageScope: { project, scope }, callers }: QueryDetailView) {
  return (
    <TablePanel
      title={t("Callers")}
      description={t("Transactions that do this, by name.")}
      rows={callers}
      limit={SHOWN}
      rest={(total) => t("Those that take the most time of {total}.", { total })}
      rowKey={({ name }) => name}
      columns={[
        {
          label: t("Transaction"),
          cellClass: "w-full max-w-0 min-w-40",
          cell: ({ name }) =>
            name === ""
              ? <span class="text-muted">{t("no transaction")}</span>
              : <NameLink name={name} href={transactionHref(project.id, scope, name)} />,
        },
        {
          label: t("Calls"),
          align: "right",
          cell: ({ stats }) => <CallCount calls={stats.weight} />,
        },
        {
          label: t("In each"),
          align: "right",
          class: "max-sm:hidden",
          cell: ({ perTransaction }) => (
            <span title={t("Calls for each transaction")}>
              {perTransaction === null ? NONE : withDecimalMark(perTransaction.toFixed(1))}
            </span>
          ),
        },
        {
          label: t("Average"),
          align: "right",
          class: "max-sm:hidden",
          cell: ({ stats }) => formatDuration(averageOf(stats)),
        },
        {
          label: t("Total time"),
          align: "right",
          cell: ({ stats, share }) => (
            <ShareOf
              share={share}
              title={t("{share} of the time of all callers", { share: formatPercent(share) })}
            >
              {formatDuration(totalTimeOf(stats))}
            </ShareOf>
          ),
        },
      ]}
    />
  );
}

/** Single spans of the group, each with the way to its trace. */
function ExamplePanel({ pageScope, examples }: QueryDetailView) {
  return (
    <TablePanel
      title={t("Examples")}
      description={t(
        "The slowest call of some transactions, with its values as far as they were sent.",
      )}
      none={t("None of these calls is stored any more.")}
      rows={examples}
      rowKey={({ spanId }) => spanId}
      columns={[
        { label: t("Trace"), cell: (example) => <TraceLink pageScope={pageScope} {...example} /> },
        { label: t("Call"), cellClass: "w-full max-w-0 min-w-40", cell: ExampleCall },
        {
          label: t("Times"),
          align: "right",
          class: "max-sm:hidden",
          cell: ({ times }) => (
            <span title={t("Such calls in this transaction")}>{formatExact(times)}</span>
          ),
        },
        {
          label: t("Duration"),
          align: "right",
          cell: ({ durationMs }) => formatDuration(durationMs),
        },
        {
          label: t("When"),
          align: "right",
          class: "max-md:hidden",
          cell: ({ start }) => <RelativeTime date={start} />,
        },
      ]}
    />
  );
}

function ExampleCall({ transaction, service, description, status }: QueryExample) {
  return (
    <>
      <bdi class="line-clamp-2 font-mono wrap-anywhere" title={description}>{description}</bdi>
      <span class="flex min-w-0 items-center gap-1.5 text-meta text-muted">
        {isFailedStatus(status) && <Badge tone="danger" icon="error">{status}</Badge>}
        <span class="truncate">
          {[transaction, service].filter((fact) => fact !== "").join(" · ")}
        </span>
      </span>
    </>
  );
}
