/** Which aggregations metrics have. Runs in the browser as well. */
import type { Metric } from "../records/metric_batch.ts";
import { type Aggregation, AGGREGATIONS_OF } from "./query_types.ts";

const QUANTILES: readonly Aggregation[] = ["p50", "p75", "p90", "p95", "p99"];

/** The aggregations of a metric, the usual one first. */
export function aggregationsOf(metric: Pick<Metric, "name" | "kind">): readonly Aggregation[] {
  const usual = AGGREGATIONS_OF[metric.kind];
  return isClassicBuckets(metric) ? [...usual, ...QUANTILES] : usual;
}

/** Whether a counter is the buckets of a histogram as Prometheus counts them, each by its bound `le`. */
export function isClassicBuckets({ name, kind }: Pick<Metric, "name" | "kind">): boolean {
  return kind === "counter" && name.endsWith("_bucket");
}
