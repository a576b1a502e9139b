import type { Window } from "./alerting_events.ts";
import type { MetricSource } from "../rule.ts";
import { chooseMetric } from "../../metrics/query/choose_metric.ts";
import { runQueries } from "../../metrics/query/run_queries.ts";
import { usualIntervalOf } from "../../metrics/query/usual_interval.ts";
import type { QueryRequest } from "../../metrics/query_types.ts";
import { groupOf, type GroupValue, MAX_GROUPS } from "./group_value.ts";
import type { ValueServices, Watched } from "./read_values.ts";

const SECOND_MS = 1_000;
const MAX_INTERVAL_MS = 3_600_000;
/** Points come a little early or late. */
const JITTER = 1.1;

/** The request that reads a metric rule over a stretch of time. */
export function requestOf(
  { projectId, environments }: Pick<Watched, "projectId" | "environments">,
  { queries, formulas, judged }: MetricSource,
  { start, end }: Window,
  stepMs: number,
): QueryRequest {
  const isFormula = formulas.some(({ id }) => id === judged);
  return {
    projectId,
    start,
    end,
    stepMs,
    scope: { environments, releases: [], services: [] },
    queries: (isFormula ? queries : queries.filter(({ id }) => id === judged))
      .map((query) => ({ ...query, top: MAX_GROUPS })),
    formulas: formulas.filter(({ id }) => id === judged),
    comparesPrevious: false,
  };
}

/**
 * What a metric was in a window, by group. Groups without a value in it have no data. A window that is shorter than the
 * time from one point to the next begins earlier, so that it has a point.
 */
export async function metricValues(
  services: ValueServices,
  watched: Watched,
  source: MetricSource,
  window: Window,
): Promise<GroupValue[]> {
  const asked = requestOf(watched, source, window, window.end.getTime() - window.start.getTime());
  const leastMs = await leastWindow(services, asked);
  const stepMs = Math.max(asked.stepMs ?? 0, leastMs);
  const start = new Date(window.end.getTime() - stepMs);
  const { series } = await runQueries(services, { ...asked, start, stepMs });
  return series.filter(({ queryId }) => queryId === source.judged).map(({ labels, values }) => ({
    group: groupOf(labels),
    words: groupOf(labels),
    value: values.at(-1) ?? null,
  }));
}

/** The shortest window that has a point of each series, in whole seconds. */
async function leastWindow(
  services: ValueServices,
  { projectId, queries, end }: QueryRequest,
): Promise<number> {
  const intervals = await Promise.all(queries.map(async (query) => {
    const metric = await chooseMetric(services.sql, projectId, query);
    return metric === null ? 0 : await usualIntervalOf(services, projectId, metric, end.getTime());
  }));
  const longest = Math.min(Math.max(0, ...intervals), MAX_INTERVAL_MS);
  return Math.ceil(longest * JITTER / SECOND_MS) * SECOND_MS;
}
