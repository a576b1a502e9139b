import type { Facets } from "./transaction_samples.ts";

/** A tag value, and how much more frequent it is among the slow. */
export interface ComparedFacet {
  readonly key: string;
  readonly value: string;
  /** Shares of transactions that have it, 0 to 1. */
  readonly ofSlow: number;
  readonly ofAll: number;
  /** Slow transactions that have it. */
  readonly slowCount: number;
}

const MAX_FACETS = 12;
/** Fewer slow ones than this are chance. */
const MIN_SLOW = 5;
/** Smaller differences are chance as well. */
const MIN_DIFFERENCE = 0.05;

/** The tag values that slow transactions have more often than all, the most telling first. */
export function compareFacets(slow: Facets, all: Facets): ComparedFacet[] {
  if (slow.total === 0 || all.total === 0) return [];
  const counts = new Map(all.counts.map(({ key, value, count }) => [`${key}\0${value}`, count]));
  return slow.counts
    .map(({ key, value, count }) => ({
      key,
      value,
      ofSlow: count / slow.total,
      ofAll: (counts.get(`${key}\0${value}`) ?? 0) / all.total,
      slowCount: count,
    }))
    .filter(({ ofSlow, ofAll, slowCount }) =>
      slowCount >= MIN_SLOW && ofSlow - ofAll >= MIN_DIFFERENCE
    )
    .sort((a, b) => (b.ofSlow - b.ofAll) - (a.ofSlow - a.ofAll))
    .slice(0, MAX_FACETS);
}
