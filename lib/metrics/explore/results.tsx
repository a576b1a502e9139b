import { t } from "../../core/language/translate.ts";
import { ChartBox } from "../../ui/scoped_page.tsx";
import { colorNames } from "../../ui/charts/chart_data.ts";
import { classes } from "../../ui/components/icon.tsx";
import { EmptyState } from "../../ui/components/panel.tsx";
import { Cell } from "../../ui/components/table.tsx";
import { DEFAULT_RANGE } from "../../ui/scope.ts";
import {
  type ChartPart,
  chartParts,
  chartTitle,
  type DrawnSeries,
  partValue,
  type QueryNames,
  queryNames,
} from "../chart_parts.ts";
import { exploreHref } from "../exploration.ts";
import { FiguresTable, type LegendToggles, MetricChart, ValueLine } from "../metric_chart.tsx";
import type { QueryResult } from "../query_types.ts";
import { ExemplarTable } from "./exemplars.tsx";
import type { Explored } from "./load_explore.ts";

interface ResultsProps extends Explored {
  readonly result: QueryResult;
}

const HEIGHT = 320;

/** The answer in the view that was chosen, and what was cut off from it. */
export function Results(props: ResultsProps) {
  const { pageScope, form, shown, result } = props;
  const names = queryNames(shown.queries, shown.formulas);
  const toggles: LegendToggles = {
    hidden: form.hidden,
    hrefOf: (id) => {
      const hidden = form.hidden.includes(id)
        ? form.hidden.filter((one) => one !== id)
        : [...form.hidden, id];
      return exploreHref(pageScope.project.id, { ...form, hidden }, pageScope.scope);
    },
  };
  return (
    <>
      <HiddenQueries names={names} toggles={toggles} />
      {result.facts.map(({ id, groupCount }) => {
        const drawn = result.series.filter((one) => one.queryId === id && !one.isPrevious).length;
        return groupCount > drawn && (
          <p key={id} class="mt-2 text-sm text-muted">
            {t("{query}: the {drawn} largest of {groups} groups are shown.", {
              query: id,
              drawn,
              groups: groupCount,
            })}
          </p>
        );
      })}
      <div class="mt-3">
        <View {...props} toggles={toggles} />
      </div>
    </>
  );
}

/** Heat maps have an answer of their own. */
function View(props: ResultsProps & { readonly toggles: LegendToggles }) {
  const { pageScope, form, shown, result, markers, exemplars, toggles } = props;
  const { project, scope } = pageScope;
  const names = queryNames(shown.queries, shown.formulas);
  const shownIds = result.facts.map(({ id }) => id).filter((id) => !form.hidden.includes(id));
  const zoomHref = exploreHref(project.id, form, { ...scope, range: DEFAULT_RANGE });
  switch (form.view) {
    case "table":
      return <ResultTable result={result} queryIds={shownIds} names={names} />;
    case "value":
      return <ResultValues result={result} queryIds={shownIds} names={names} />;
    default:
      return (
        <>
          <ChartBox>
            <MetricChart
              id="answer"
              title={chartTitle(shownIds, names)}
              result={result}
              queryIds={shownIds}
              names={names}
              view={form.view === "heatmap" ? "line" : form.view}
              markers={markers}
              exemplars={exemplars.dots}
              zoomHref={zoomHref}
              height={HEIGHT}
              syncKey="page"
              {...result.facts.length > 1 && shown === form && { toggles }}
            />
          </ChartBox>
          <ExemplarTable exemplars={exemplars} />
        </>
      );
  }
}

interface ResultTableProps {
  readonly result: QueryResult;
  /** Queries and formulas that are shown. */
  readonly queryIds: readonly string[];
  readonly names: QueryNames;
}

/** Every series of an answer with its figures over the whole time. */
function ResultTable({ result, queryIds, names }: ResultTableProps) {
  const parts = chartParts(result, queryIds, names, null);
  return (
    <div class="rounded-lg border border-line bg-surface">
      {parts.length === 0 ? <NothingFound /> : (
        <FiguresTable
          caption={t("Series")}
          parts={parts.map((part) => ({ ...part, drawn: besideBefore(part.drawn) }))}
          nameCell={(label) => (
            <Cell class="w-full max-w-0 min-w-40">
              <bdi class="block truncate" title={label}>{label}</bdi>
            </Cell>
          )}
        />
      )}
    </div>
  );
}

/** Each series next to what it was in the time before. */
function besideBefore(drawn: readonly DrawnSeries[]): DrawnSeries[] {
  const same = Map.groupBy(
    drawn,
    ({ series: { queryId, labels } }) => JSON.stringify([queryId, labels]),
  );
  return [...same.values()].flat();
}

/** In place of series. */
function NothingFound() {
  return (
    <EmptyState icon="search" title={t("No data in this time")}>
      {t(
        "No series of these metrics has points in this time and scope that the filters let through.",
      )}
    </EmptyState>
  );
}

/** The last value of every series in large figures, with its course and the figures of the whole time. */
function ResultValues({ result, queryIds, names }: ResultTableProps) {
  const parts = chartParts(result, queryIds, names, null);
  if (parts.length === 0) {
    return (
      <div class="rounded-lg border border-line bg-surface">
        <NothingFound />
      </div>
    );
  }
  return (
    <ul class="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      {parts.flatMap((part) =>
        part.drawn.map((one, index) => (
          <Value key={`${part.unit} ${index}`} drawn={one} part={part} />
        ))
      )}
    </ul>
  );
}

function Value({ drawn, part }: { readonly drawn: DrawnSeries; readonly part: ChartPart }) {
  const { label, series: { values, figures, isPrevious }, color } = drawn;
  return (
    <li class="min-w-0 rounded-lg border border-line bg-surface p-4">
      <p class="truncate text-sm text-muted" title={label}>
        <bdi>{label}</bdi>
      </p>
      <p class={classes("text-2xl font-semibold tabular-nums", isPrevious && "text-muted")}>
        {partValue(figures.last, part)}
      </p>
      <ValueLine values={values} stroke={colorNames(color, 0).stroke} />
      <p class="mt-1 text-meta text-muted tabular-nums">
        {t("min {min} · avg {avg} · max {max}", {
          min: partValue(figures.min, part),
          avg: partValue(figures.avg, part),
          max: partValue(figures.max, part),
        })}
      </p>
    </li>
  );
}

interface HiddenQueriesProps {
  readonly names: QueryNames;
  readonly toggles: LegendToggles;
}

/** What is not drawn, with links that bring it back; nothing where all is. */
function HiddenQueries({ names, toggles: { hidden, hrefOf } }: HiddenQueriesProps) {
  if (hidden.length === 0) return null;
  return (
    <p class="mt-2 flex flex-wrap gap-x-4 text-sm text-muted">
      {t("Hidden:")}
      {hidden.map((id) => (
        <a key={id} href={hrefOf(id)} class="link">
          {t("show {query}, {name}", { query: id, name: names[id] ?? "" })}
        </a>
      ))}
    </p>
  );
}
