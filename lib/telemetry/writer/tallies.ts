import type { Transaction } from "../database.ts";
import { KeyTally } from "./key_tally.ts";
import { OutcomeTally, saveOutcomeDays, saveOutcomes } from "./outcome_tally.ts";

/** Counts that belong to no request that is stored: they travel along with any transaction. */
export class Tallies {
  readonly outcomes = new OutcomeTally();
  readonly keys = new KeyTally();

  get isEmpty(): boolean {
    return this.outcomes.isEmpty && this.keys.isEmpty;
  }

  addAll(other: Tallies): void {
    this.outcomes.addAll(other.outcomes);
    this.keys.addAll(other.keys);
  }

  /** Outcomes first, then keys: the order of every writer. */
  async save(tx: Transaction): Promise<void> {
    const { counts } = this.outcomes;
    // Sent one after the other without waiting: a round trip for all of them.
    await Promise.all([
      counts.length > 0 && saveOutcomes(tx, counts),
      counts.length > 0 && saveOutcomeDays(tx, counts),
      this.keys.save(tx),
    ]);
  }
}
