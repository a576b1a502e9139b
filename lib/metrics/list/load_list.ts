import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import type { MetricKind } from "../../records/mod.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import type { Backend } from "../../store/stores.ts";
import type { CursorPage } from "../../store/query_limits.ts";
import { PAGE_SIZE } from "../../ui/sorted_list.tsx";
import { type ListedMetric, listMetrics, type StoredMetric } from "../catalog.ts";
import {
  type Aggregation,
  aggregationsOf,
  InvalidQuery,
  METRIC_KINDS,
  type MetricScope,
  type QueryRequest,
} from "../query_types.ts";
import { runQueries } from "../query/run_queries.ts";

/** What the list is asked for beside its scope. */
interface MetricListParams {
  readonly query: string;
  /** Null: all. */
  readonly kind: MetricKind | null;
  readonly cursor: string | null;
}

export interface MetricList {
  readonly params: MetricListParams;
  readonly metrics: CursorPage<ListedMetric>;
  /** By id of the metric, as of `loadTrends()`. */
  readonly trends: ReadonlyMap<string, Trend | null>;
}

const MAX_QUERY_LENGTH = 255;

/** Reads the parameters of the page. */
export function readMetricListParams(search: URLSearchParams): MetricListParams {
  return {
    query: (search.get("query") ?? "").trim().slice(0, MAX_QUERY_LENGTH),
    kind: METRIC_KINDS.find((kind) => kind === search.get("kind")) ?? null,
    cursor: search.get("cursor") || null,
  };
}

/** Reads one page of metrics with what they did in the last hours. */
export async function loadMetricList(
  services: Services,
  { project, scope: { environments, releases, services: names }, now }: PageScope,
  params: MetricListParams,
): Promise<MetricList> {
  const scope = { environments, releases, services: names };
  const metrics = await listMetrics(services.sql, project.id, {
    search: params.query,
    kind: params.kind,
    scope,
    cursor: params.cursor,
    limit: PAGE_SIZE,
  });
  const trends = await loadTrends(services, project.id, scope, metrics.rows, now);
  return { params, metrics, trends };
}

export interface Trend {
  readonly aggregation: Aggregation;
  /** UCUM of the values. */
  readonly unit: string;
  readonly values: readonly (number | null)[];
  /** Null: nothing in the last hours. */
  readonly last: number | null;
}

/** How far back trends go, in hours. */
export const TREND_HOURS = 6;
const STEP_MS = 15 * MINUTE_MS;
/** Trends are read from points, which takes time. */
const REMEMBERED_MS = MINUTE_MS;
const MAX_REMEMBERED = 5_000;
const AT_ONCE = 4;
/** A list does not wait longer: what is late is read on, and stands there when it is looked at again. */
const PATIENCE_MS = 150;

type Services = Pick<Backend, "sql" | "log">;

interface Remembered {
  readonly at: number;
  readonly trend: Promise<Trend | null>;
}

const remembered = new WeakMap<Sql, Map<string, Remembered>>();

/**
 * The trends of metrics by their ids: null for those without points in the last hours, or whose points cannot be read.
 * Those that take too long are absent, and there the next time.
 */
async function loadTrends(
  services: Services,
  projectId: string,
  scope: MetricScope,
  metrics: readonly StoredMetric[],
  now: Date,
): Promise<ReadonlyMap<string, Trend | null>> {
  const found = new Map<string, Trend | null>();
  const queue = metrics.values();
  const worker = async () => {
    for (const metric of queue) {
      const trend = await rememberedTrend(services, projectId, scope, metric, now);
      found.set(metric.metricId, trend);
    }
  };
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, PATIENCE_MS);
  await Promise.race([Promise.all(Array.from({ length: AT_ONCE }, worker)), patience.promise]);
  clearTimeout(timer);
  return new Map(found);
}

function rememberedTrend(
  services: Services,
  projectId: string,
  scope: MetricScope,
  metric: StoredMetric,
  now: Date,
): Promise<Trend | null> {
  const memory = remembered.get(services.sql) ?? new Map<string, Remembered>();
  remembered.set(services.sql, memory);
  const key = JSON.stringify([projectId, metric.metricId, scope]);
  const known = memory.get(key);
  if (known && now.getTime() - known.at < REMEMBERED_MS) return known.trend;
  const trend = readTrend(services, projectId, scope, metric, now);
  memory.delete(key);
  memory.set(key, { at: now.getTime(), trend });
  const [oldest] = memory.keys();
  if (memory.size > MAX_REMEMBERED && oldest !== undefined) memory.delete(oldest);
  return trend;
}

/** Null for what cannot be read: the list says the rest of the metric all the same. */
async function readTrend(
  services: Services,
  projectId: string,
  scope: MetricScope,
  { name, kind, unit }: StoredMetric,
  now: Date,
): Promise<Trend | null> {
  const [aggregation = "avg"] = aggregationsOf({ name, kind });
  const request: QueryRequest = {
    projectId,
    start: new Date(now.getTime() - TREND_HOURS * HOUR_MS),
    end: now,
    stepMs: STEP_MS,
    scope,
    queries: [{ id: "a", metric: name, kind, unit, aggregation, filter: [], groupBy: [], top: 1 }],
    formulas: [],
    comparesPrevious: false,
  };
  try {
    const { series: [series], facts: [facts] } = await runQueries(services, request);
    if (series === undefined || facts === undefined) return null;
    return { aggregation, unit: facts.unit, values: series.values, last: series.figures.last };
  } catch (error) {
    if (!(error instanceof InvalidQuery)) {
      services.log.error("the trend of a metric cannot be read", { projectId, name, error });
    }
    return null;
  }
}
