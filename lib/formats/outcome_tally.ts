import type { Category, Outcome, OutcomeKind } from "../records/mod.ts";

/** Counts what becomes of the items of a request that are not stored, each with its reason. */
export class OutcomeTally {
  readonly #outcomes = new Map<string, Outcome>();

  /** Counts `quantity` more items. */
  add(category: Category, kind: OutcomeKind, reason: string, quantity = 1): void {
    if (quantity === 0) return;
    const key = `${category}/${kind}/${reason}`;
    const before = this.#outcomes.get(key)?.quantity ?? 0;
    this.#outcomes.set(key, { category, kind, reason, quantity: before + quantity });
  }

  /** One outcome for each reason, in the order of their first items. */
  get outcomes(): Outcome[] {
    return [...this.#outcomes.values()];
  }
}
