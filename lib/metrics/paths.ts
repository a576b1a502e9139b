/** Addresses of the metrics pages. Everything the explorer shows stands in its address. */
import { formatFilter } from "./filter_text.ts";
import { aggregationsOf } from "./aggregations.ts";
import type { Formula, MetricQuery } from "./query_types.ts";
import type { Metric } from "../records/mod.ts";
import { type Scope, scopeParams } from "../ui/scope.ts";
import { sectionPath } from "../ui/links.ts";

/** How results are drawn. */
export const VIEWS = ["line", "area", "bars", "table", "value", "heatmap"] as const;
export type View = (typeof VIEWS)[number];

export interface Exploration {
  readonly queries: readonly MetricQuery[];
  readonly formulas: readonly Formula[];
  /** Ids of queries and formulas that are not drawn. */
  readonly hidden: readonly string[];
  readonly view: View;
  /** Null: automatic. */
  readonly stepMs: number | null;
  readonly comparesPrevious: boolean;
}

export const EXPLORE_DEFAULTS = {
  top: 10,
  view: "line",
} as const;

/** `/projects/<id>/metrics/explore` with the scope and everything that is not at its default. */
export function exploreHref(projectId: string, exploration: Exploration, scope: Scope): string {
  const params = new URLSearchParams([...scopeParams(scope), ...explorationParams(exploration)]);
  const path = explorePath(projectId);
  return params.size === 0 ? path : `${path}?${params}`;
}

/**
 * An exploration as parameters: of each query `a.metric`, `a.kind`, `a.unit`, `a.agg`, `a.filter`, `a.by` (labels, one
 * each), `a.top`; of each formula `f1` and `f1.unit`; then `hide`, `view`, `step` (seconds), `compare=1`.
 */
export function explorationParams(exploration: Exploration): [name: string, value: string][] {
  const { queries, formulas, hidden, view, stepMs, comparesPrevious } = exploration;
  const params: [string, string][] = queries.flatMap(queryParams);
  for (const { id, expression, unit } of formulas) {
    params.push([id, expression]);
    if (unit !== "") params.push([`${id}.unit`, unit]);
  }
  for (const id of hidden) params.push(["hide", id]);
  if (view !== EXPLORE_DEFAULTS.view) params.push(["view", view]);
  if (stepMs !== null) params.push(["step", String(stepMs / 1000)]);
  if (comparesPrevious) params.push(["compare", "1"]);
  return params;
}

function queryParams(query: MetricQuery): [string, string][] {
  const { id, metric, kind, unit, aggregation, filter, groupBy, top } = query;
  const params: [string, string][] = [[`${id}.metric`, metric]];
  if (kind !== null) params.push([`${id}.kind`, kind]);
  if (unit !== null) params.push([`${id}.unit`, unit]);
  params.push([`${id}.agg`, aggregation]);
  if (filter.length > 0) params.push([`${id}.filter`, formatFilter(filter)]);
  for (const label of groupBy) params.push([`${id}.by`, label]);
  if (top !== EXPLORE_DEFAULTS.top) params.push([`${id}.top`, String(top)]);
  return params;
}

/** Address that completes names of metrics, labels and values while one types. */
export function metricCompletionsPath(projectId: string): string {
  return `${sectionPath(projectId, "metrics")}/completions`;
}

/** Address of the explorer. */
export function explorePath(projectId: string): string {
  return `${sectionPath(projectId, "metrics")}/explore`;
}

/** The explorer with one metric in the usual way. */
export function metricHref(
  projectId: string,
  { name, kind, unit }: Pick<Metric, "name" | "kind" | "unit">,
  scope: Scope,
): string {
  const [aggregation = "avg"] = aggregationsOf({ name, kind });
  const { top, view } = EXPLORE_DEFAULTS;
  const query = { id: "a", metric: name, kind, unit, aggregation, filter: [], groupBy: [], top };
  return exploreHref(projectId, {
    queries: [query],
    formulas: [],
    hidden: [],
    view,
    stepMs: null,
    comparesPrevious: false,
  }, scope);
}
