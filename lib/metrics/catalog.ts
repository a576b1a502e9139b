/** Which metrics a project has, and the labels of their series. */
import { type CursorPage, cutPage, isId, readCursor } from "../store/cursor.ts";
import type { Sql } from "../store/database.ts";
import { likePattern } from "../store/like_pattern.ts";
import type { Metric, MetricKind } from "../records/metric_batch.ts";
import { inScope } from "../store/scope_filter.ts";
import { storable } from "../core/storable.ts";
import { labelOf } from "./matchers.ts";
import { seriesOf } from "./series_catalog.ts";
import type { MetricScope } from "./query_types.ts";

export interface StoredMetric extends Metric {
  readonly metricId: string;
  readonly firstSeen: Date;
  /** The UTC day that it was seen on last, as `2026-11-20`. */
  readonly seenOn: string;
  /** How often its points come, in milliseconds; 0: not known yet. */
  readonly usualIntervalMs: number;
}

export interface ListedMetric extends StoredMetric {
  /** That were seen on its last day or the day before. */
  readonly seriesCount: number;
  /** By name; those of the series that are counted. */
  readonly services: readonly string[];
}

export interface MetricListQuery {
  /** Part of the name; `*` stands for anything. `""`: all. */
  readonly search: string;
  /** Null: all. */
  readonly kind: MetricKind | null;
  /** Metrics of which some series is in it. */
  readonly scope: MetricScope;
  /** Of another page of the same list. */
  readonly cursor: string | null;
  readonly limit: number;
}

const MAX_NAMES = 20;
const MAX_VALUES = 50;
const MAX_SERVICES = 20;

/** A page of a project's metrics, by name. */
export async function listMetrics(
  sql: Sql,
  projectId: string,
  { search, kind, scope, cursor: text, limit }: MetricListQuery,
): Promise<CursorPage<ListedMetric>> {
  const cursor = readMetricCursor(text);
  const isBackwards = cursor?.direction === "previous";
  const side = isBackwards ? sql`<` : sql`>`;
  const direction = isBackwards ? sql`desc` : sql`asc`;
  const found = await sql<StoredMetric[]>`
    select ${columns(sql)} from metrics
    where project_id = ${projectId}
    ${search === "" ? sql`` : sql`and name ilike ${likePattern(`*${storable(search)}*`)}`}
    ${kind === null ? sql`` : sql`and kind = ${kind}`}
    ${isWhole(scope) ? sql`` : sql`and ${hasSeriesIn(sql, projectId, scope)}`}
    ${cursor && sql`and (name, metric_id) ${side} (${cursor.value}, ${cursor.id}::bigint)` || sql``}
    order by name ${direction}, metric_id ${direction}
    limit ${limit + 1}
  `;
  const page = cutPage(
    found,
    limit,
    cursor,
    ({ name, metricId }) => ({ value: name, id: metricId }),
  );
  return { ...page, rows: await withSeries(sql, projectId, page.rows) };
}

/** The metrics of a name, the one seen last first: there may be several kinds and units of it. */
export async function findMetrics(
  sql: Sql,
  projectId: string,
  name: string,
): Promise<StoredMetric[]> {
  const rows = await sql<StoredMetric[]>`
    select ${columns(sql)} from metrics
    where project_id = ${projectId} and name = ${storable(name)}
    order by seen_on desc, first_seen desc, metric_id
  `;
  return [...rows];
}

/** Up to 20 names that hold a text, those that begin with it first. */
export async function metricNames(sql: Sql, projectId: string, text: string): Promise<string[]> {
  const pattern = (wanted: string) => likePattern(wanted);
  const clean = storable(text);
  const rows = await sql<{ name: string }[]>`
    select name from metrics
    where project_id = ${projectId} and name ilike ${pattern(`*${clean}*`)}
    group by name
    order by name ilike ${pattern(`${clean}*`)} desc, name
    limit ${MAX_NAMES}
  `;
  return rows.map(({ name }) => name);
}

/** The labels that series of a metric have, by name. */
export async function labelKeys(sql: Sql, projectId: string, metric: string): Promise<string[]> {
  const keys = new Set<string>();
  for (const { labels } of await seriesOfName(sql, projectId, metric)) {
    for (const key of Object.keys(labels)) keys.add(key);
  }
  return [...keys].sort();
}

/** Up to 50 values of a label of a metric that begin with a text, those of the most series first. */
export async function labelValues(
  sql: Sql,
  projectId: string,
  metric: string,
  key: string,
  prefix: string,
): Promise<string[]> {
  const counts = new Map<string, number>();
  const wanted = prefix.toLowerCase();
  for (const { labels } of await seriesOfName(sql, projectId, metric)) {
    const value = labelOf(labels, key);
    if (value === "" || !value.toLowerCase().startsWith(wanted)) continue;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
    .slice(0, MAX_VALUES)
    .map(([value]) => value);
}

/** A cursor of the list of metrics; null for what is none. */
export function readMetricCursor(text: string | null) {
  return readCursor(text, (value, id) => value !== "" && !value.includes("\0") && isMetricId(id));
}

/** Up to 2^63 - 1, one digit more than other ids. */
function isMetricId(text: string): boolean {
  return isId(text) || /^[1-8]\d{18}$/.test(text);
}

async function seriesOfName(sql: Sql, projectId: string, name: string) {
  const metrics = await findMetrics(sql, projectId, name);
  const series = await Promise.all(
    metrics.map(({ metricId }) => seriesOf(sql, projectId, metricId)),
  );
  return series.flat();
}

function columns(sql: Sql) {
  return sql`
    metric_id as "metricId", name, kind, unit, description, first_seen as "firstSeen",
    seen_on::text as "seenOn", usual_interval_ms as "usualIntervalMs"
  `;
}

function isWhole({ environments, releases, services }: MetricScope): boolean {
  return environments.length + releases.length + services.length === 0;
}

function hasSeriesIn(sql: Sql, projectId: string, scope: MetricScope) {
  const services = scope.services.map(storable);
  return sql`exists (
    select from metric_series
    where project_id = ${projectId} and metric_id = metrics.metric_id ${inScope(sql, scope)}
    ${services.length === 0 ? sql`` : sql`and service = any (${services}::text[])`}
  )`;
}

async function withSeries(
  sql: Sql,
  projectId: string,
  metrics: readonly StoredMetric[],
): Promise<ListedMetric[]> {
  const rows = await sql<{ metricId: string; count: string; services: string[] }[]>`
    select metric_series.metric_id as "metricId", count(*) as count,
      array_agg(distinct service order by service) as services
    from metric_series join metrics using (project_id, metric_id)
    where project_id = ${projectId}
      and metric_id = any (${metrics.map(({ metricId }) => metricId)}::bigint[])
      and metric_series.seen_on >= metrics.seen_on - 1
    group by metric_series.metric_id
  `;
  const known = new Map(rows.map((row) => [row.metricId, row]));
  return metrics.map((metric) => {
    const { count = "0", services = [] } = known.get(metric.metricId) ?? {};
    const named = services.filter((service) => service !== "");
    return { ...metric, seriesCount: Number(count), services: named.slice(0, MAX_SERVICES) };
  });
}
