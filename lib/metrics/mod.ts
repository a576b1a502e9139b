/** What alerts and dashboards may use of metrics. */
export { findMetrics, labelKeys, labelValues, type StoredMetric } from "./catalog.ts";
export { chartParts, partValue, type QueryNames, queryNames, queryWords } from "./chart_parts.ts";
export {
  explorationParams,
  EXPLORE_DEFAULTS,
  exploreHref,
  metricCompletionsPath,
} from "./exploration.ts";
export { type Heat, HeatMapChart, heatQueryOf, loadHeat } from "./heat_map.tsx";
export { FiguresTable, MetricChart, type MetricChartProps } from "./metric_chart.tsx";
export type { RawSeries } from "./points.ts";
export { chooseMetric } from "./query/answer.ts";
export { checkRequest } from "./query/formula.ts";
export { runQueries } from "./query/run_queries.ts";
export { type QueryServices, SharedReads } from "./query/shared_reads.ts";
export { usualIntervalOf } from "./query/steps.ts";
export { nextSlot, readRaw } from "./read/raw.ts";
export { loadQueryForm, type QueryForm } from "./query_form/load_query_form.ts";
export { QueryBuilder } from "./query_form/query_builder.tsx";
export * from "./query_types.ts";
export { type MetricScale, scaleOf, unitName } from "./units.ts";
