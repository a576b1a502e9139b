import type { Stats } from "./stats.ts";

/** Counts of what is stored, and of what there was. */
export type Sampled = Pick<Stats, "count" | "weight">;

/** Rounding of weights is no sampling. */
const NOTABLE = 1.005;

/**
 * What a figure of the stored ones is with those that were sampled away: they were as long and failed as often.
 *
 * @param stored a sum over the stored ones, as milliseconds or failures
 * @returns the same for all that there were, as far as clients say
 */
export function extrapolated(stored: number, { count, weight }: Sampled): number {
  return count === 0 ? 0 : stored * weight / count;
}

/** Milliseconds that all took together, with what was sampled away. */
export function totalTimeOf(stats: Sampled & Pick<Stats, "sum">): number {
  return extrapolated(stats.sum, stats);
}

/** Whether there was notably more than is stored. */
export function isSampled({ count, weight }: Sampled): boolean {
  return weight > count * NOTABLE;
}

/** Counts of several groups together. */
export function sampledOf(groups: readonly Sampled[]): Sampled {
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    weight: groups.reduce((sum, { weight }) => sum + weight, 0),
  };
}
