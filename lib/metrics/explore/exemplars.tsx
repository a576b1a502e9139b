import { t } from "../../core/language/translate.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import type { ChartDot } from "../../ui/charts/mod.ts";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { ExactTime } from "../../ui/components/values.tsx";
import { seriesOf } from "../catalog.ts";
import { seriesMatcher } from "../filter.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";
import type { Aggregation, MetricQuery } from "../query_types.ts";
import { formatMetric } from "../units.ts";
import { traceHref } from "../../ui/links.ts";

export interface ShownExemplars {
  /** The dots of the chart; none where its values are of another kind than the observations. */
  readonly dots: readonly ChartDot[];
  /** The largest first; values in `ucum`. */
  readonly rows: readonly ChartDot[];
  readonly ucum: string;
}

export const NO_EXEMPLARS: ShownExemplars = { dots: [], rows: [], ucum: "" };

/** Observations whose traces are known, behind a toggle; nothing where there are none. */
export function ExemplarTable(
  { exemplars: { rows, ucum } }: { readonly exemplars: ShownExemplars },
) {
  if (rows.length === 0) return null;
  return (
    <details class="mt-3 rounded-lg border border-line bg-surface">
      <summary class="cursor-pointer px-4 py-2 text-sm font-medium">
        {t("Traces of {n} observation|Traces of {n} observations", { n: rows.length })}
      </summary>
      <Table
        caption={t("Exemplars")}
        columns={[{ label: t("Trace") }, { label: t("Time") }, {
          label: t("Value"),
          align: "right",
        }]}
      >
        {rows.map(({ at, value, href, label }) => (
          <Row key={`${href} ${at}`}>
            <Cell>
              <a href={href} class="row-link link font-mono text-sm">{label}</a>
            </Cell>
            <Cell>
              <ExactTime date={new Date(at)} />
            </Cell>
            <Cell align="right">{formatMetric(value, ucum)}</Cell>
          </Row>
        ))}
      </Table>
    </details>
  );
}

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
  pageScope: PageScope,
  form: QueryForm,
): Promise<ShownExemplars> {
  const query = form.queries.find(({ id }) => !form.hidden.includes(id));
  const metric = query && meantMetric(query, form);
  const isChart = ["line", "area", "bars"].includes(form.view);
  if (!query || !metric || !isChart) return NO_EXEMPLARS;
  const { project, scope, interval } = pageScope;
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
    .map((one) => dotOf(one, metric.unit, pageScope));
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
  { project, scope }: PageScope,
): ChartDot {
  return {
    at: timeMs,
    value,
    href: traceHref(project.id, traceId, spanId, scope),
    label: t("{value}, trace {id}", {
      value: formatMetric(value, ucum),
      id: traceId.slice(0, 8),
    }),
  };
}

/** An observation with its trace. */
interface StoredExemplar {
  readonly metricId: string;
  readonly seriesId: string;
  readonly timeMs: number;
  readonly value: number;
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
}

/**
 * The latest exemplars of some metrics, by descending time.
 *
 * @param request.start from this minute on; `end` is exclusive
 * @param request.limit how many at most
 */
export async function readExemplars(
  sql: Sql,
  projectId: string,
  { metricIds, start, end, limit }: {
    readonly metricIds: readonly string[];
    readonly start: Date;
    readonly end: Date;
    readonly limit: number;
  },
): Promise<StoredExemplar[]> {
  if (metricIds.length === 0) return [];
  const rows = await sql<(Omit<StoredExemplar, "timeMs"> & { time: Date })[]>`
    select metric_id as "metricId", series_id as "seriesId", "timestamp" as time, value,
      replace(trace_id::text, '-', '') as "traceId", span_id as "spanId"
    from metric_exemplars
    where project_id = ${projectId} and metric_id = any (${metricIds.map(String)}::bigint[])
      and minute >= date_trunc('minute', ${start}::timestamptz) and minute < ${end}
      and "timestamp" >= ${start} and "timestamp" < ${end}
    order by "timestamp" desc, series_id, place limit ${limit}
  `;
  return rows.map(({ time, ...exemplar }) => ({ ...exemplar, timeMs: time.getTime() }));
}
