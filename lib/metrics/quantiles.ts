import type { Aggregation } from "./query_types.ts";

const SHARES: Readonly<Partial<Record<Aggregation, number>>> = {
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
};

/** Whether an aggregation is a quantile. */
export function isQuantile(aggregation: Aggregation): boolean {
  return SHARES[aggregation] !== undefined;
}

/** The share that a quantile's name tells, 0.95 of `p95`; null of other aggregations. */
export function shareOf(aggregation: Aggregation): number | null {
  return SHARES[aggregation] ?? null;
}
