import { t } from "../../core/language/translate.ts";
import {
  chartParts,
  FiguresTable,
  HeatMapChart,
  MetricChart,
  type MetricChartProps,
  partValue,
  type QueryNames,
  queryNames,
  type QueryResult,
} from "../../metrics/mod.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import { alongPage } from "../../ui/scoped_page.tsx";
import { TimeChart } from "../../ui/charts/mod.ts";
import { Icon } from "../../ui/components/icon.tsx";
import { Cell } from "../../ui/components/table.tsx";
import { formatDuration } from "../../ui/format.ts";
import type { MetricsPanel, Panel } from "../content.ts";
import { Markdown } from "../../ui/markdown.tsx";
import { measured, type PanelData, panelTitle } from "./panel_data.ts";

interface PanelViewProps {
  readonly panel: Panel;
  readonly data: PanelData;
  readonly pageScope: PageScope;
  /** Of the page, where choosing a time leads. */
  readonly path: string;
  /** Other parameters of the page, which choosing a time keeps. */
  readonly keep: Readonly<Record<string, string>>;
}

/** What a panel shows, without its frame. */
export function PanelView(props: PanelViewProps) {
  const { panel, data, pageScope, path, keep } = props;
  if (data.kind === "failed") return <Failed sentence={data.sentence} />;
  if (data.kind === "text") {
    return panel.kind === "text" ? <Markdown text={panel.markdown} /> : null;
  }
  const id = `chart-${panel.id}`;
  const title = panelTitle(panel);
  const height = chartHeight(panel.place.h);
  if (data.kind === "metrics") {
    return (
      <MetricsView
        id={id}
        title={title}
        data={data}
        height={height}
        markers={pageScope.markers}
        zoomHref={alongPage(pageScope, NO_STEPS, path, keep).zoomHref}
      />
    );
  }
  if (data.kind === "heat") {
    return data.heat === null
      ? (
        <Failed
          sentence={t("A heat map needs a histogram, and none of the queries asks for one.")}
        />
      )
      : <HeatMapChart id={id} heat={data.heat} height={height} />;
  }
  if (data.kind === "errors") {
    const { times, bucketMs, counts, problems } = data;
    return (
      <>
        {problems.map((problem) => <Problem key={problem} sentence={problem} />)}
        <TimeChart
          {...alongPage(pageScope, { times, stepMs: bucketMs }, path, keep)}
          id={id}
          title={title}
          unit="count"
          height={height}
          series={[{ label: t("errors"), values: counts, kind: "bars", color: "danger" }]}
        />
      </>
    );
  }
  if (panel.kind !== "transactions") return null;
  const { unit, series } = measured(panel.measure, pageScope, data.total, data.steps);
  return (
    <TimeChart
      {...alongPage(pageScope, data.steps, path, keep)}
      id={id}
      title={title}
      unit={unit}
      height={height}
      series={[series]}
      {...panel.measure === "apdex" && {
        note: t("Apdex of {duration}", { duration: formatDuration(pageScope.apdexMs) }),
      }}
    />
  );
}

const NO_STEPS = { times: [], stepMs: 1 };

function Failed({ sentence }: { readonly sentence: string }) {
  return (
    <p class="flex gap-2 rounded-md border border-warning bg-warning-soft px-3 py-2 text-sm">
      <Icon name="warning" class="mt-[3px] text-warning" />
      <span class="min-w-0 wrap-anywhere">{sentence}</span>
    </p>
  );
}

/** A part of a panel that could not be taken as it was meant. */
function Problem({ sentence }: { readonly sentence: string }) {
  return (
    <p class="mb-2 flex gap-1.5 text-meta text-muted">
      <Icon name="warning" size={12} class="mt-0.5 text-warning" />
      <span class="min-w-0 wrap-anywhere">{sentence}</span>
    </p>
  );
}

interface MetricsViewProps
  extends Pick<MetricChartProps, "id" | "title" | "height" | "markers" | "zoomHref"> {
  readonly data: Extract<PanelData, { kind: "metrics" }>;
}

/** The answer to a panel's queries, drawn as the panel wants it. */
function MetricsView(props: MetricsViewProps) {
  const { data: { panel, result: answer }, title, ...chart } = props;
  const queryIds = drawnIds(panel);
  const result = drawnOf(answer, queryIds);
  const names = namesIn(panel, title, queryIds);
  return (
    <>
      {result.notes.map((note) => (
        <p key={note} class="mb-2 wrap-anywhere text-meta text-muted">{note}</p>
      ))}
      {panel.view === "value"
        ? <SeriesValues result={result} names={names} queryIds={queryIds} />
        : panel.view === "table"
        ? <SeriesTable title={title} result={result} names={names} queryIds={queryIds} />
        : (
          <MetricChart
            {...chart}
            title={title}
            result={result}
            queryIds={queryIds}
            names={names}
            view={panel.view === "heatmap" ? "line" : panel.view}
            syncKey="page"
            legend="short"
          />
        )}
    </>
  );
}

interface SeriesProps {
  readonly title: string;
  readonly result: QueryResult;
  readonly names: QueryNames;
  readonly queryIds: readonly string[];
}

/** The figures of each series over the whole time. */
function SeriesTable({ title, result, names, queryIds }: SeriesProps) {
  const parts = chartParts(result, queryIds, names, null);
  if (parts.length === 0) return <NothingInTime />;
  return (
    <div class="dash-scroll">
      <FiguresTable
        caption={title}
        parts={parts}
        nameCell={(label) => (
          <Cell class="min-w-32 wrap-anywhere">
            <bdi>{label}</bdi>
          </Cell>
        )}
      />
    </div>
  );
}

/** The last value of each series in large figures, with the mean of the whole time. */
function SeriesValues({ result, names, queryIds }: Omit<SeriesProps, "title">) {
  const parts = chartParts(result, queryIds, names, null);
  if (parts.length === 0) return <NothingInTime />;
  const isOne = parts.length === 1 && parts[0]?.drawn.length === 1;
  return (
    <dl class="dash-values">
      {parts.flatMap((part) =>
        part.drawn.map(({ series, label }, index) => (
          <div key={`${part.unit} ${index}`}>
            <dt class={isOne ? "sr-only" : "truncate text-meta text-muted"} title={label}>
              <bdi>{label}</bdi>
            </dt>
            <dd
              class={isOne
                ? "text-2xl font-semibold tabular-nums"
                : "text-lg font-semibold tabular-nums"}
            >
              {partValue(series.figures.last, part)}
            </dd>
            <dd class="text-meta text-muted tabular-nums">
              {t("avg {value}", { value: partValue(series.figures.avg, part) })}
            </dd>
          </div>
        ))
      )}
    </dl>
  );
}

/** In place of figures, where there are none. */
function NothingInTime() {
  return <p class="py-6 text-center text-sm text-muted">{t("No data in this time")}</p>;
}

/** Ids of the queries and formulas that a panel draws. */
function drawnIds({ queries, formulas, hidden }: MetricsPanel): string[] {
  return [...queries, ...formulas].map(({ id }) => id).filter((id) => !hidden.includes(id));
}

/** A result without what is not drawn: series then go by their groups alone, where one query is. */
function drawnOf(result: QueryResult, queryIds: readonly string[]): QueryResult {
  return { ...result, series: result.series.filter(({ queryId }) => queryIds.includes(queryId)) };
}

/**
 * What queries are called in legends: the only formula goes by the title of its panel, and queries that differ in
 * nothing else by their aggregation.
 */
function namesIn(
  { queries, formulas }: MetricsPanel,
  title: string,
  queryIds: readonly string[],
): QueryNames {
  const names = {
    ...queryNames(queries, formulas),
    ...differInAggregation(queries, queryIds) &&
      Object.fromEntries(queries.map(({ id, aggregation }) => [id, aggregation])),
  };
  const [only] = queryIds;
  const isFormula = queryIds.length === 1 && formulas.some(({ id }) => id === only);
  return isFormula && only !== undefined ? { ...names, [only]: title } : names;
}

/** Whether all that is drawn are queries of one metric and filter, each with an aggregation of its own. */
function differInAggregation(
  queries: MetricsPanel["queries"],
  queryIds: readonly string[],
): boolean {
  const drawn = queries.filter(({ id }) => queryIds.includes(id));
  const sources = drawn.map(({ metric, kind, unit, filter }) =>
    JSON.stringify([metric, kind, unit, filter])
  );
  return drawn.length > 1 && drawn.length === queryIds.length && new Set(sources).size === 1 &&
    new Set(drawn.map(({ aggregation }) => aggregation)).size === drawn.length;
}

/** Of the grid in px, as `dashboards.css` has them. */
const ROW = 40;
const GAP = 12;
/** Head of the panel, its padding, the legend and the toggle of the table. */
const AROUND = 150;
const LEAST = 120;

/** Height of a chart that fills a panel of so many rows, in px. */
function chartHeight(rows: number): number {
  return Math.max(LEAST, rows * (ROW + GAP) - GAP - AROUND);
}
