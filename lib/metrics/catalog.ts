/** Which metrics a project has, and the labels of their series. */
import { DAY_MS, MINUTE_MS } from "../core/time.ts";
import { storable } from "../core/errors.ts";
import type { Metric, MetricKind } from "../records/metric_batch.ts";
import { byId } from "./ids.ts";
import type { Sql } from "../store/database.ts";
import { type CursorPage, cutPage, inScope, isId, readCursor } from "../store/query_limits.ts";
import { likePattern } from "../store/values.ts";
import { labelOf, type Labels } from "./filter.ts";
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

interface MetricListQuery {
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

const MAX_METRIC_ID = 2n ** 63n - 1n;

/** One digit more than other ids. */
function isMetricId(text: string): boolean {
  return isId(text) || /^\d{19}$/.test(text) && BigInt(text) <= MAX_METRIC_ID;
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

export interface CatalogSeries {
  readonly seriesId: string;
  readonly labels: Labels;
  /** The beginning of the day on which points of it were stored last, in milliseconds; it may be a day behind. */
  readonly seenOnMs: number;
}

interface Known {
  /** By ascending id. */
  series: readonly CatalogSeries[];
  newest: Date;
  /** In bytes, about. */
  size: number;
  readonly loadedAtMs: number;
  /** The refresh that is under way. */
  refresh: Promise<void> | null;
}

interface SeriesRow extends Omit<CatalogSeries, "seenOnMs"> {
  readonly firstSeen: Date;
  readonly seenOn: Date;
}

/** Bytes that are remembered of a database, about, over all metrics: three hundred thousand usual series. */
const MAX_REMEMBERED = 120_000_000;
/** What a series and a label take beside their texts. */
const BYTES = { series: 160, label: 24 };
/** What vanished together with as much that came is found out then. */
const RELOAD_MS = 10 * MINUTE_MS;
/** Other isolates' clocks and commits. */
const LATE_MS = 5 * MINUTE_MS;

/** By `<project>/<metric>`, the one asked for last at the end; those of one database never stand for another's. */
const catalogs = new WeakMap<Sql, Map<string, Known>>();

/** Of a series that was seen on a day, points may have come on the next one since it was looked at. */
const SEEN_LATER_MS = 2 * DAY_MS;

/** The series that may have points from a time on. */
export function seenSince(series: readonly CatalogSeries[], startMs: number) {
  return series.filter(({ seenOnMs }) => seenOnMs + SEEN_LATER_MS > startMs);
}

/** All series of a metric, by ascending id. Asking again reads only what has changed. */
export async function seriesOf(
  sql: Sql,
  projectId: string,
  metricId: string,
): Promise<readonly CatalogSeries[]> {
  const catalog = catalogOf(sql);
  const key = `${projectId}/${metricId}`;
  const known = catalog.get(key);
  if (known === undefined || Date.now() - known.loadedAtMs > RELOAD_MS) {
    return await load(sql, projectId, metricId);
  }
  catalog.delete(key);
  catalog.set(key, known);
  known.refresh ??= refresh(sql, projectId, metricId, known).finally(() => known.refresh = null);
  await known.refresh;
  return catalog.get(key)?.series ?? known.series;
}

async function load(sql: Sql, projectId: string, metricId: string) {
  const rows = await readRows(sql, projectId, metricId, new Date(0));
  const catalog = catalogOf(sql);
  const key = `${projectId}/${metricId}`;
  catalog.delete(key);
  const series = rows.map(toSeries);
  const size = sizeOf(series);
  catalog.set(key, { series, newest: newestOf(rows), size, loadedAtMs: Date.now(), refresh: null });
  forgetOldest(catalog);
  return series;
}

async function refresh(sql: Sql, projectId: string, metricId: string, known: Known) {
  const [row] = await sql<{ count: string }[]>`
    select count(*) as count from metric_series
    where project_id = ${projectId} and metric_id = ${metricId}
  `;
  const count = Number(row?.count ?? 0);
  if (count === known.series.length) return;
  const since = new Date(known.newest.getTime() - LATE_MS);
  const rows = await readRows(sql, projectId, metricId, since);
  const all = joined(known.series, rows);
  if (all.length < count || count < known.series.length) {
    await load(sql, projectId, metricId);
  } else {
    known.series = all;
    known.size += sizeOf(rows);
    known.newest = newestOf(rows, known.newest);
  }
}

async function readRows(sql: Sql, projectId: string, metricId: string, since: Date) {
  return await sql<SeriesRow[]>`
    select series_id as "seriesId", labels, first_seen as "firstSeen", seen_on as "seenOn"
    from metric_series
    where project_id = ${projectId} and metric_id = ${metricId} and first_seen >= ${since}
    order by series_id
  `;
}

function joined(
  series: readonly CatalogSeries[],
  rows: readonly SeriesRow[],
): readonly CatalogSeries[] {
  const known = new Set(series.map(({ seriesId }) => seriesId));
  const added = rows.filter(({ seriesId }) => !known.has(seriesId)).map(toSeries);
  return added.length === 0 ? series : [...series, ...added].sort(byId);
}

function toSeries({ seriesId, labels, seenOn }: SeriesRow): CatalogSeries {
  return { seriesId, labels, seenOnMs: seenOn.getTime() };
}

function newestOf(rows: readonly SeriesRow[], least = new Date(0)): Date {
  return rows.reduce((newest, { firstSeen }) => firstSeen > newest ? firstSeen : newest, least);
}

function catalogOf(sql: Sql): Map<string, Known> {
  const known = catalogs.get(sql) ?? new Map<string, Known>();
  catalogs.set(sql, known);
  return known;
}

function forgetOldest(catalog: Map<string, Known>): void {
  let size = 0;
  for (const known of catalog.values()) size += known.size;
  for (const [key, known] of catalog) {
    if (size <= MAX_REMEMBERED || catalog.size === 1) return;
    catalog.delete(key);
    size -= known.size;
  }
}

function sizeOf(series: readonly Pick<CatalogSeries, "labels">[]): number {
  let size = 0;
  for (const { labels } of series) {
    size += BYTES.series;
    for (const [key, value] of Object.entries(labels)) {
      size += BYTES.label + key.length + value.length;
    }
  }
  return size;
}
