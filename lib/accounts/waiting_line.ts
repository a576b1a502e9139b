/** The answer to a request for permits. */
export type Permit = { readonly ok: true } | {
  readonly ok: false;
  readonly retryAfterSec: number;
};

export interface Waiter {
  readonly permits: number;
  answer(permit: Permit): void;
}

interface Waiting extends Waiter {
  fail(error: unknown): void;
}

/** One object for all: the hot path makes none. */
export const GRANTED: Permit = Object.freeze({ ok: true });

/**
 * Callers who wait for permits. However many come, one trip to the store at a time is under way for them;
 * those who come meanwhile share the next one.
 */
export class WaitingLine {
  #waiting: Waiting[] = [];
  #serving: Promise<void> | null = null;

  /** @param serve answers all the waiters it is given; when it throws, they are told the error */
  constructor(private readonly serve: (waiters: Waiter[]) => Promise<void>) {}

  /** Waits for permits: all of them, or none. */
  join(permits: number): Promise<Permit> {
    return new Promise((answer, fail) => {
      this.#waiting.push({ permits, answer, fail });
      this.#serving ??= this.#serveAll();
    });
  }

  /** Resolves when nobody waits. */
  async settled(): Promise<void> {
    await this.#serving;
  }

  get isEmpty(): boolean {
    return this.#serving === null;
  }

  async #serveAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waiters = this.#waiting;
      this.#waiting = [];
      try {
        await this.serve([...waiters]);
      } catch (error) {
        for (const waiter of waiters) waiter.fail(error);
      }
    }
    this.#serving = null;
  }
}
