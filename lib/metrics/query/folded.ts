import type { Aggregation } from "../query_types.ts";

/** How the figures of a group's series become one. */
type Fold = "add" | "mean" | "least" | "greatest";

const FOLDS: Readonly<Partial<Record<Aggregation, Fold>>> = {
  avg: "mean",
  min: "least",
  max: "greatest",
};

/** How series make a group by an aggregation: what it does not say otherwise adds up. */
export function foldOf(aggregation: Aggregation): Fold {
  return FOLDS[aggregation] ?? "add";
}

/** One number for each group and place, made of any number of values. */
export class Folded {
  readonly #values: Float64Array;
  readonly #seen: Uint32Array;

  constructor(readonly groupCount: number, readonly placeCount: number, readonly fold: Fold) {
    this.#values = new Float64Array(groupCount * placeCount);
    this.#seen = new Uint32Array(groupCount * placeCount);
  }

  add(group: number, place: number, value: number): void {
    const at = group * this.placeCount + place;
    const seen = this.#seen[at] ?? 0;
    this.#seen[at] = seen + 1;
    const held = this.#values[at] ?? 0;
    if (seen === 0) this.#values[at] = value;
    else if (this.fold === "least") this.#values[at] = value < held ? value : held;
    else if (this.fold === "greatest") this.#values[at] = value > held ? value : held;
    else this.#values[at] = held + value;
  }

  /** Null where nothing was added. */
  value(group: number, place: number): number | null {
    const at = group * this.placeCount + place;
    const seen = this.#seen[at] ?? 0;
    if (seen === 0) return null;
    const value = this.#values[at] ?? 0;
    return this.fold === "mean" ? value / seen : value;
  }
}
