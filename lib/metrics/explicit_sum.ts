import type { ExplicitBuckets } from "../records/metric_batch.ts";
import { areSameBounds, NO_BUCKETS } from "./histogram.ts";

/**
 * Adds explicit buckets up. Where bounds differ, the sum has those that all of them have: each count still lies between
 * bounds that it was counted between, so nothing is guessed.
 */
export class ExplicitSum {
  #bounds: readonly number[] | null = null;
  #counts: number[] = [];
  #isCoarsened = false;

  /** Whether some of what was added had other bounds than the rest. */
  get isCoarsened(): boolean {
    return this.#isCoarsened;
  }

  add({ bounds, counts }: ExplicitBuckets): void {
    if (this.#bounds === null) {
      this.#bounds = bounds;
      this.#counts = [...counts];
    } else if (areSameBounds(this.#bounds, bounds)) {
      addTo(this.#counts, counts);
    } else {
      const others = new Set(bounds);
      const common = this.#bounds.filter((bound) => others.has(bound));
      this.#counts = coarsened(this.#bounds, this.#counts, common);
      addTo(this.#counts, coarsened(bounds, counts, common));
      this.#bounds = common;
      this.#isCoarsened = true;
    }
  }

  result(): ExplicitBuckets {
    return this.#bounds === null
      ? NO_BUCKETS
      : { kind: "explicit", bounds: this.#bounds, counts: [...this.#counts] };
  }
}

function addTo(counts: number[], more: readonly number[]): void {
  for (let place = 0; place < counts.length; place++) {
    counts[place] = (counts[place] ?? 0) + (more[place] ?? 0);
  }
}

/** @param common a part of `bounds`, in its order */
function coarsened(
  bounds: readonly number[],
  counts: readonly number[],
  common: readonly number[],
): number[] {
  const sums = Array.from({ length: common.length + 1 }, () => 0);
  let target = 0;
  for (const [place, count] of counts.entries()) {
    sums[target] = (sums[target] ?? 0) + count;
    if (target < common.length && bounds[place] === common[target]) target++;
  }
  return sums;
}
