import { t } from "../../core/language/translate.ts";
import { DAY_MS } from "../../core/time.ts";
import MetricTrends from "@/islands/MetricTrends.tsx";
import type { PageScope } from "../../releases/request_scope.ts";
import { ChoiceLinks, SearchForm } from "../../ui/sorted_list.tsx";
import { LinkButton } from "../../ui/components/button.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { EmptyState } from "../../ui/components/panel.tsx";
import { Cell, Pagination, Row, Table } from "../../ui/components/table.tsx";
import { Count } from "../../ui/components/values.tsx";
import { NONE } from "../../ui/format.ts";
import { sectionPath } from "../../ui/links.ts";
import { isNarrowed, scopedHref } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import type { ListedMetric } from "../catalog.ts";
import { explorePath, metricHref } from "../exploration.ts";
import { ValueLine } from "../metric_chart.tsx";
import { METRIC_KINDS } from "../query_types.ts";
import { formatMetric, unitName } from "../units.ts";
import { type MetricList, type Trend, TREND_HOURS } from "./load_list.ts";

export interface MetricListView extends MetricList {
  readonly shell: Shell;
  readonly pageScope: PageScope;
  /** For a project without metrics. */
  readonly firstSteps: readonly FirstStep[];
}

/** A project's metrics by name. */
export function MetricListPage(view: MetricListView) {
  const { shell, pageScope, params: { query, kind }, metrics, trends } = view;
  const { project, scope } = pageScope;
  const path = sectionPath(project.id, "metrics");
  const isFiltered = query !== "" || kind !== null;
  const isNarrow = isFiltered || isNarrowed(scope) || scope.services.length > 0;
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="metrics"
      keep={{ query, kind }}
      actions={
        <LinkButton icon="search" href={scopedHref(explorePath(project.id), scope)}>
          {t("Explore")}
        </LinkButton>
      }
    >
      <SearchForm
        path={path}
        scope={scope}
        query={query}
        keep={{ kind }}
        label={t("Search metrics")}
        placeholder={t("Part of a name; * stands for anything")}
      />
      <ChoiceLinks
        label={t("Kinds")}
        choices={["", ...METRIC_KINDS.map((each) => t(each))]}
        chosen={kind === null ? "" : t(kind)}
        hrefOf={(choice) =>
          scopedHref(path, scope, {
            query,
            kind: METRIC_KINDS.find((each) => t(each) === choice) ?? "",
          })}
      />
      <div class="mt-3 rounded-lg border border-line bg-surface">
        {metrics.rows.length === 0
          ? <NoMetrics projectId={project.id} isNarrowed={isNarrow} firstSteps={view.firstSteps} />
          : (
            <>
              <MetricTable pageScope={pageScope} metrics={metrics.rows} trends={trends} />
              {metrics.rows.some(({ metricId }) => !trends.has(metricId)) && <LateTrends />}
              <Pages view={view} path={path} />
            </>
          )}
      </div>
    </ProjectPage>
  );
}

function LateTrends() {
  return (
    <>
      <MetricTrends />
      <noscript>
        <p class="border-t border-line px-4 py-2 text-meta text-muted">
          {t("Where “…” stands, the last hours are still being read: reload the page in a moment.")}
        </p>
      </noscript>
    </>
  );
}

function Pages({ view, path }: { readonly view: MetricListView; readonly path: string }) {
  const { pageScope: { scope }, params: { query, kind }, metrics } = view;
  const hrefOf = (cursor: string | null) =>
    cursor && scopedHref(path, scope, { query, kind, cursor });
  const { rows, previousCursor, nextCursor } = metrics;
  return (
    <div class="border-t border-line">
      <Pagination
        label={t("Pages of metrics")}
        summary={t("Showing {n} metric by name|Showing {n} metrics by name", { n: rows.length })}
        previousHref={hrefOf(previousCursor)}
        nextHref={hrefOf(nextCursor)}
      />
    </div>
  );
}

interface MetricTableProps {
  readonly pageScope: PageScope;
  readonly metrics: readonly ListedMetric[];
  /** As of `loadTrends()`. */
  readonly trends: ReadonlyMap<string, Trend | null>;
}

/** Metrics with what they measure, what they did lately, and who sends them. */
function MetricTable({ pageScope, metrics, trends }: MetricTableProps) {
  return (
    <Table
      caption={t("Metrics")}
      density="comfortable"
      columns={[
        { label: t("Metric") },
        { label: t("Kind"), class: "max-md:hidden" },
        { label: t("Unit"), class: "max-lg:hidden" },
        { label: t("Last value"), align: "right" },
        {
          label: t("Last {n} hour|Last {n} hours", { n: TREND_HOURS }),
          class: "w-36 max-sm:hidden",
        },
        {
          label: t("Series"),
          align: "right",
          help: t("That were seen on its last day or the day before"),
          class: "max-md:hidden",
        },
        { label: t("Services"), class: "max-xl:hidden" },
        { label: t("Last seen"), class: "max-lg:hidden" },
      ]}
    >
      {metrics.map((metric) => (
        <MetricRow
          key={metric.metricId}
          pageScope={pageScope}
          metric={metric}
          trend={trends.get(metric.metricId)}
        />
      ))}
    </Table>
  );
}

interface MetricRowProps {
  readonly pageScope: PageScope;
  readonly metric: ListedMetric;
  /** Undefined: not read yet. */
  readonly trend: Trend | null | undefined;
}

function MetricRow({ pageScope: { project, scope, now }, metric, trend }: MetricRowProps) {
  const { metricId, name, kind, unit, description, seriesCount, services, seenOn } = metric;
  return (
    <Row>
      <Cell class="w-full max-w-0 min-w-40 sm:min-w-64">
        <a
          class="row-link block truncate font-mono font-medium"
          title={name}
          href={metricHref(project.id, metric, scope)}
        >
          <bdi>{name}</bdi>
        </a>
        <span class="block truncate text-meta text-muted" title={description}>{description}</span>
      </Cell>
      <Cell class="max-md:hidden">{t(kind)}</Cell>
      <Cell class="max-w-32 truncate max-lg:hidden">{unitName(unit) || NONE}</Cell>
      <Cell align="right">
        <div {...trendCell(`value-${metricId}`, trend)}>
          <LastValue trend={trend} />
        </div>
      </Cell>
      <Cell class="max-sm:hidden">
        <div {...trendCell(`line-${metricId}`, trend)}>
          {trend && (
            <div class="w-32" role="img" aria-label={trendWords(trend)} title={trendWords(trend)}>
              <ValueLine values={trend.values} stroke="stroke-series-1" height={24} />
            </div>
          )}
        </div>
      </Cell>
      <Cell align="right" class="max-md:hidden">
        <Count value={seriesCount} unit="{n} series|{n} series" />
      </Cell>
      <Cell class="max-w-48 truncate max-xl:hidden">
        <span title={services.join(", ")}>{services.join(", ") || NONE}</span>
      </Cell>
      <Cell class="whitespace-nowrap max-lg:hidden">
        <time datetime={seenOn}>{dayWords(seenOn, now)}</time>
      </Cell>
    </Row>
  );
}

/** How `fillTrends()` knows the cell, and whether it is late. */
function trendCell(id: string, trend: MetricRowProps["trend"]) {
  return { "data-trend": id, ...trend === undefined && { "data-trend-late": true } };
}

function LastValue({ trend }: Pick<MetricRowProps, "trend">) {
  if (trend === undefined) {
    return (
      <span class="text-muted" title={t("Still being read")}>
        <span aria-hidden="true">…</span>
        <span class="sr-only">{t("Still being read")}</span>
      </span>
    );
  }
  if (trend === null) return <>{NONE}</>;
  return (
    <>
      {formatMetric(trend.last, trend.unit)}
      <span class="block text-meta text-muted">{trend.aggregation}</span>
    </>
  );
}

function trendWords({ aggregation, unit, values }: Trend): string {
  const real = values.filter((value) => value !== null);
  const low = formatMetric(real.length === 0 ? null : Math.min(...real), unit);
  const high = formatMetric(real.length === 0 ? null : Math.max(...real), unit);
  return t(
    "{aggregation} over the last {n} hour: {low} to {high}|{aggregation} over the last {n} hours: {low} to {high}",
    {
      aggregation,
      n: TREND_HOURS,
      low,
      high,
    },
  );
}

/** A day in UTC as lists say it; metrics are not noted down more exactly. */
function dayWords(day: string, now: Date): string {
  if (day === now.toISOString().slice(0, 10)) return t("today");
  const yesterday = new Date(now.getTime() - DAY_MS).toISOString().slice(0, 10);
  return day === yesterday ? t("yesterday") : day;
}

/** Lines that send a first metric, and the words before them. */
export interface FirstStep {
  readonly title: string;
  readonly code: string;
}

interface NoMetricsProps {
  readonly projectId: string;
  /** A search, a filter or the scope narrows the list. */
  readonly isNarrowed: boolean;
  readonly firstSteps: readonly FirstStep[];
}

/** In place of the list: why there are no metrics, and what would send the first. */
export function NoMetrics({ projectId, isNarrowed, firstSteps }: NoMetricsProps) {
  if (isNarrowed) {
    return (
      <EmptyState
        icon="search"
        title={t("No metrics match")}
        actions={
          <LinkButton href={sectionPath(projectId, "metrics")}>{t("Show all metrics")}</LinkButton>
        }
      >
        {t("None has this name and kind in this scope.")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="metrics"
      title={t("No metrics yet")}
      actions={
        <LinkButton href={`${sectionPath(projectId, "setup")}?platform=metrics`}>
          {t("Open the setup page")}
        </LinkButton>
      }
    >
      <div class="text-left">
        {firstSteps.map(({ title, code }, index) => (
          <div key={title} class="mt-3">
            <p class="mb-1">{title}</p>
            <CodeBlock id={`metrics-${index}`} label={title} language="bash" code={code} />
          </div>
        ))}
      </div>
    </EmptyState>
  );
}
