/** The series of metrics, in memory: filters and groups are by their labels. */
import type { Sql } from "../store/database.ts";
import type { Labels } from "./matchers.ts";

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
const RELOAD_MS = 10 * 60_000;
/** Other isolates' clocks and commits. */
const LATE_MS = 5 * 60_000;

/** By `<project>/<metric>`, the one asked for last at the end; those of one database never stand for another's. */
const catalogs = new WeakMap<Sql, Map<string, Known>>();

/** Of a series that was seen on a day, points may have come on the next one since it was looked at. */
const SEEN_LATER_MS = 2 * 24 * 60 * 60_000;

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

/** Without leading zeros the longer one is the larger. */
function byId({ seriesId: some }: CatalogSeries, { seriesId: other }: CatalogSeries): number {
  return some.length - other.length || (some < other ? -1 : some > other ? 1 : 0);
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
