import type { MetricSource } from "./rule.ts";
import type { Aggregation } from "../metrics/query_types.ts";

/** These answer how many, not how much. */
const COUNTS: readonly Aggregation[] = ["count"];
/** These answer how many where the metric is a distribution. */
const COUNTS_OF_HISTOGRAMS: readonly Aggregation[] = ["rate", "increase", "count"];

/** The UCUM unit of what a metric alert judges, as far as the alert itself tells; `""` when it does not. */
export function unitOfJudged({ queries, formulas, judged }: MetricSource): string {
  const formula = formulas.find(({ id }) => id === judged);
  if (formula !== undefined) return formula.unit;
  const query = queries.find(({ id }) => id === judged) ?? queries[0];
  if (query === undefined) return "";
  const { aggregation, kind, unit } = query;
  const counts = kind === "histogram" ? COUNTS_OF_HISTOGRAMS : COUNTS;
  const base = counts.includes(aggregation) ? "" : unit ?? "";
  return aggregation === "rate" || (kind === "counter" && isOfRates(aggregation))
    ? `${base}/s`
    : base;
}

/** Of counters these are of the series' rates. */
function isOfRates(aggregation: Aggregation): boolean {
  return aggregation === "avg" || aggregation === "min" || aggregation === "max";
}
