import { InvalidQuery } from "./invalid_query.ts";

/** Nobody waits longer, and what goes on unseen takes time and memory from others. */
const LIMIT_MS = 20_000;

/** Until when a question about metrics may be read for. */
export class Deadline {
  readonly #end: number;

  /** @param limitMs from now on */
  constructor(readonly limitMs = LIMIT_MS) {
    this.#end = performance.now() + limitMs;
  }

  /** @throws {InvalidQuery} when the time is over */
  check(): void {
    if (performance.now() < this.#end) return;
    throw new InvalidQuery(
      `Reading this takes longer than ${this.limitMs / 1_000} s: ` +
        "choose a shorter time or a longer step in whole minutes, or filter more.",
    );
  }
}
