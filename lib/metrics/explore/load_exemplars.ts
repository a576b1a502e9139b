import type { Sql } from "../../store/database.ts";
import { readExemplars, type StoredExemplar } from "./exemplars.ts";
import { seriesMatcher } from "../matchers.ts";
import { seriesOf } from "../series_catalog.ts";
import type { Aggregation, MetricQuery } from "../query_types.ts";
import type { ChartDot } from "../../ui/charts/mod.ts";
import { traceHref } from "../../ui/tracing_paths.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";
import { formatMetric } from "../units.ts";
import { NO_EXEMPLARS, type ShownExemplars } from "./exemplar_table.tsx";

/** More than are shown, because a filter may let few of them through. */
const READ = 500;
const MAX_SHOWN = 60;
/** Aggregations whose values are such as the observations themselves. */
const OF_VALUES: readonly Aggregation[] = [
  "avg",
  "min",
  "max",
  "last",
  "p50",
  "p75",
  "p90",
  "p95",
  "p99",
];

/**
 * The exemplars of the first query that is drawn, the largest values first; none in other views than charts.
 *
 * @throws {InvalidQuery} for a regular expression that is none
 */
export async function loadExemplars(
  sql: Sql,
  tracing: Tracing,
  form: QueryForm,
): Promise<ShownExemplars> {
  const query = form.queries.find(({ id }) => !form.hidden.includes(id));
  const metric = query && meantMetric(query, form);
  const isChart = ["line", "area", "bars"].includes(form.view);
  if (!query || !metric || !isChart) return NO_EXEMPLARS;
  const { project, scope, interval } = tracing;
  const found = await readExemplars(sql, project.id, {
    metricIds: [metric.metricId],
    ...interval,
    limit: READ,
  });
  if (found.length === 0) return NO_EXEMPLARS;
  const { environments, releases, services } = scope;
  const isMeant = seriesMatcher(query.filter, { environments, releases, services });
  const series = await seriesOf(sql, project.id, metric.metricId);
  const meant = new Set(
    series.filter(({ labels }) => isMeant(labels)).map(({ seriesId }) => seriesId),
  );
  const rows = found
    .filter(({ seriesId }) => meant.has(seriesId))
    .sort((a, b) => b.value - a.value)
    .slice(0, MAX_SHOWN)
    .map((one) => dotOf(one, metric.unit, tracing));
  const isComparable = OF_VALUES.includes(query.aggregation);
  return { rows, dots: isComparable ? rows : [], ucum: metric.unit };
}

function meantMetric({ metric, kind, unit }: MetricQuery, { known }: QueryForm) {
  return known[metric]?.find((one) =>
    (kind === null || one.kind === kind) && (unit === null || one.unit === unit)
  );
}

function dotOf(
  { timeMs, value, traceId, spanId }: StoredExemplar,
  ucum: string,
  { project, scope }: Tracing,
): ChartDot {
  return {
    at: timeMs,
    value,
    href: traceHref(project.id, traceId, spanId, scope),
    label: `${formatMetric(value, ucum)}, trace ${traceId.slice(0, 8)}`,
  };
}
