import type { Transaction } from "../../store/database.ts";
import { KeyTally } from "./key_tally.ts";
import { appendOutcomes, OutcomeTally } from "./outcome_tally.ts";

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

  /** Outcomes are appended, so that no writer waits for another; those of keys come by themselves, once a second. */
  async save(tx: Transaction): Promise<void> {
    // Sent one after the other without waiting: a round trip for both.
    await Promise.all([appendOutcomes(tx, this.outcomes.counts), this.keys.save(tx)]);
  }
}
