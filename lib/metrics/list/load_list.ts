import type { Logger } from "../../core/log.ts";
import type { CursorPage } from "../../store/cursor.ts";
import type { Sql } from "../../store/database.ts";
import { type ListedMetric, listMetrics } from "../catalog.ts";
import type { MetricKind } from "../../records/mod.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { PAGE_SIZE } from "../../ui/sorting.ts";
import { loadTrends, type Trend } from "./load_trends.ts";

/** What the list is asked for beside its scope. */
export interface MetricListParams {
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

export const KINDS = ["counter", "gauge", "histogram"] as const satisfies readonly MetricKind[];
const MAX_QUERY_LENGTH = 255;

/** Reads the parameters of the page. */
export function readMetricListParams(search: URLSearchParams): MetricListParams {
  return {
    query: (search.get("query") ?? "").trim().slice(0, MAX_QUERY_LENGTH),
    kind: KINDS.find((kind) => kind === search.get("kind")) ?? null,
    cursor: search.get("cursor") || null,
  };
}

/** Reads one page of metrics with what they did in the last hours. */
export async function loadMetricList(
  services: { readonly sql: Sql; readonly log: Logger },
  { project, scope: { environments, releases, services: names }, now }: Tracing,
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
