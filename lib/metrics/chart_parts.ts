/** Results of queries as series of charts, one chart a unit, and what queries and groups are called there. */
import { t } from "../core/language/translate.ts";
import {
  type ChartColor,
  type ChartSeries,
  type ChartUnit,
  formatValue,
} from "../ui/charts/mod.ts";
import { formatFilter } from "./filter.ts";
import type { Formula, MetricQuery, QueryResult, ResultSeries } from "./query_types.ts";
import { scaleOf } from "./units.ts";

const CHART_VIEWS = ["line", "area", "bars"] as const;
export type ChartView = (typeof CHART_VIEWS)[number];

/** A series of a result with what it looks like. */
export interface DrawnSeries {
  readonly series: ResultSeries;
  readonly label: string;
  readonly color: ChartColor;
  /** Whether it may stand upon others. */
  readonly addsUp: boolean;
}

/** What can be drawn upon one axis. */
export interface ChartPart {
  /** UCUM of the values. */
  readonly ucum: string;
  readonly unit: ChartUnit;
  /** Values times this are in `unit`. */
  readonly factor: number;
  readonly drawn: readonly DrawnSeries[];
}

const COLORS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/**
 * The series of a result by the axes they need, in the order of the result; the same series has the same colour whatever
 * else is drawn, and a previous one that of its successor.
 *
 * @param queryIds which queries and formulas are drawn; null: all
 * @param names of queries and formulas, where there are several or nothing is grouped
 * @param unit UCUM that all values are in, instead of what the result says
 */
export function chartParts(
  result: QueryResult,
  queryIds: readonly string[] | null,
  names: QueryNames,
  unit: string | null,
): ChartPart[] {
  const parts = new Map<string, ChartPart & { readonly drawn: DrawnSeries[] }>();
  for (const drawn of drawnSeries(result, names)) {
    const { queryId } = drawn.series;
    if (queryIds !== null && !queryIds.includes(queryId)) continue;
    const ucum = unit ?? result.facts.find(({ id }) => id === queryId)?.unit ?? "";
    const scale = scaleOf(ucum);
    const part = parts.get(scale.unit);
    // Values of other multiples of the unit, as `ms` beside `s`, share its axis.
    if (part === undefined) parts.set(scale.unit, { ucum, ...scale, drawn: [drawn] });
    else part.drawn.push(part.factor === scale.factor ? drawn : scaled(drawn, scale, part));
  }
  return [...parts.values()].map((part) => ({ ...part, ...scaleOf(part.ucum, largestOf(part)) }));
}

function largestOf({ drawn }: Pick<ChartPart, "drawn">): number {
  return drawn.reduce(
    (largest, { series: { values } }) =>
      values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), largest),
    0,
  );
}

/**
 * What one series of a part looks like. Areas and bars stand upon each other where their sum means something, else side by
 * side: p95s do not add up.
 */
export function chartSeries(
  { series, label, color }: DrawnSeries,
  { factor, drawn }: ChartPart,
  view: ChartView,
): ChartSeries {
  const current = drawn.filter((one) => !one.series.isPrevious);
  const isStack = current.length > 1 && current.every(({ addsUp }) => addsUp);
  const stacked = view === "area" ? "stacked-area" : "stacked";
  const kind = series.isPrevious || view === "line" ? "line" : isStack ? stacked : view;
  return {
    label,
    color,
    kind,
    isDashed: series.isPrevious,
    values: factor === 1
      ? series.values
      : series.values.map((value) => value === null ? null : value * factor),
  };
}

function drawnSeries(result: QueryResult, names: QueryNames): DrawnSeries[] {
  const positions = new Map<string, number>();
  const hasSeveral = new Set(result.series.map(({ queryId }) => queryId)).size > 1;
  return result.series.map((series) => {
    const key = JSON.stringify([series.queryId, series.labels]);
    const position = positions.get(key) ?? positions.size;
    positions.set(key, position);
    const label = seriesLabel(series, names, hasSeveral);
    return {
      series,
      label: series.isPrevious ? t("{series} (before)", { series: label }) : label,
      color: COLORS[position % COLORS.length] ?? 1,
      addsUp: result.facts.find(({ id }) => id === series.queryId)?.addsUp ?? false,
    };
  });
}

function seriesLabel({ queryId, labels }: ResultSeries, names: QueryNames, hasSeveral: boolean) {
  const group = groupWords(labels);
  const name = names[queryId] ?? queryId;
  if (group === "") return hasSeveral ? `${queryId}: ${name}` : name;
  return hasSeveral ? `${queryId}: ${group}` : group;
}

function scaled(
  drawn: DrawnSeries,
  from: Pick<ChartPart, "factor">,
  to: Pick<ChartPart, "factor">,
): DrawnSeries {
  const ratio = from.factor / to.factor;
  const times = (value: number | null) => value === null ? null : value * ratio;
  const { series } = drawn;
  const { min, max, avg, last } = series.figures;
  return {
    ...drawn,
    series: {
      ...series,
      values: series.values.map(times),
      figures: { min: times(min), max: times(max), avg: times(avg), last: times(last) },
    },
  };
}

/** A value of a series of a part with its unit; a dash for none. */
export function partValue(value: number | null, { unit, factor }: ChartPart): string {
  return formatValue(value === null ? null : value * factor, unit);
}

/** What each query and formula is called, by id. */
export type QueryNames = Readonly<Record<string, string>>;

/** `p95 of http.server.request.duration, route="/cart"`. */
export function queryWords({ metric, aggregation, filter }: MetricQuery): string {
  return filter.length === 0
    ? t("{aggregation} of {metric}", { aggregation, metric })
    : t("{aggregation} of {metric}, {filter}", {
      aggregation,
      metric,
      filter: formatFilter(filter),
    });
}

/** Names for charts and legends: queries in words, formulas as they are written. */
export function queryNames(
  queries: readonly MetricQuery[],
  formulas: readonly Formula[],
): QueryNames {
  return Object.fromEntries([
    ...queries.map((query): [string, string] => [query.id, queryWords(query)]),
    ...formulas.map(({ id, expression }): [string, string] => [id, expression]),
  ]);
}

/** The labels of a group: the value alone where there is one label, else `host=a, zone=b`; `""` without labels. */
function groupWords(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels);
  const [only] = entries;
  if (only && entries.length === 1) {
    return only[1] === "" ? t("no {label}", { label: only[0] }) : only[1];
  }
  return entries.map(([label, value]) => `${label}=${value === "" ? '""' : value}`).join(", ");
}

/** The title of a chart of some queries and formulas: two are named, more are counted. */
export function chartTitle(ids: readonly string[], names: QueryNames): string {
  if (ids.length > 2) return t("{n} query|{n} queries", { n: ids.length });
  return ids.map((id) => names[id] ?? id).join(" · ") || t("Nothing is shown");
}
