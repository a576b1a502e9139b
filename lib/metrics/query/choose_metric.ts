import type { Sql } from "../../store/database.ts";
import type { MetricKind } from "../../records/metric_batch.ts";
import { aggregationsOf } from "../aggregations.ts";
import { findMetrics, type StoredMetric } from "../catalog.ts";
import type { Aggregation, MetricQuery } from "../query_types.ts";
import { InvalidQuery } from "../invalid_query.ts";
import { isQuantile } from "../quantiles.ts";

/**
 * The metric that a query means: of its kind and unit, or else the one of that name that was seen last.
 *
 * @returns null when nobody has sent it
 * @throws {InvalidQuery} when metrics of its kind do not have the aggregation
 */
export async function chooseMetric(
  sql: Sql,
  projectId: string,
  { id, metric: name, kind, unit, aggregation }: MetricQuery,
): Promise<StoredMetric | null> {
  const metrics = await findMetrics(sql, projectId, name);
  const metric = metrics.find((each) =>
    (kind === null || each.kind === kind) && (unit === null || each.unit === unit)
  );
  const known = metric?.kind ?? kind;
  const has = known === null ? null : aggregationsOf({ name, kind: known });
  if (has !== null && !has.includes(aggregation)) {
    throw new InvalidQuery(
      `Query ${id}: ${name} is a ${known}, which has ${has.join(", ")}, and not ${aggregation}.`,
    );
  }
  return metric ?? null;
}

/** Whether an aggregation adds up along the time, so that its mean over steps says more than its whole. */
export function isAdditive(kind: MetricKind, aggregation: Aggregation): boolean {
  return {
    counter: ["increase"],
    gauge: ["count"],
    histogram: ["increase", "count", "sum"],
  }[kind].includes(aggregation);
}

/** The unit of what a metric is aggregated to. */
export function resultUnit({ kind, unit }: StoredMetric, aggregation: Aggregation): string {
  if (aggregation === "count") return "";
  if (kind === "histogram") {
    if (aggregation === "rate") return "/s";
    return aggregation === "increase" ? "" : unit;
  }
  // Quantiles of classic buckets are of what was observed, whose unit Prometheus only tells in the name.
  if (isQuantile(aggregation)) return "";
  return kind === "counter" && aggregation !== "increase" ? `${unit}/s` : unit;
}
