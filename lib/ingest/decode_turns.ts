import { setImmediate } from "node:timers";

/** Bodies that are taken in one turn of the event loop: one of 12 KB takes half a millisecond until it is a row. */
const BODIES_A_TURN = 4;
/** So many bytes as sent weigh as much as one body more. */
const BYTES_A_BODY = 16_384;

/** Who waits, in the order in which they came. */
type Line = { readonly weight: number; readonly go: () => void }[];

/**
 * Lets bodies of requests in to be unpacked and decoded, a few in each turn of the event loop, and projects by turns: a
 * request waits for a few of another project and not for all that this one has sent. While little is to do nobody waits.
 */
export class DecodeTurns {
  /** By project; the one whose turn is next comes first. */
  readonly #lines = new Map<string, Line>();
  #left = BODIES_A_TURN;
  #isTurnDue = false;

  /**
   * Resolves when a body may be decoded.
   *
   * @param projectId whose it is; `""` while nobody knows
   * @param bytes of the body as sent
   */
  take(projectId: string, bytes: number): Promise<void> | undefined {
    const weight = 1 + bytes / BYTES_A_BODY;
    this.#nextTurn();
    if (this.#left > 0 && this.#lines.size === 0) {
      this.#left -= weight;
      return undefined;
    }
    return new Promise((go) => {
      const line = this.#lines.get(projectId) ?? [];
      line.push({ weight, go });
      this.#lines.set(projectId, line);
    });
  }

  /** Whoever answers, reads or commits meanwhile has had their time by then. */
  #nextTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      this.#left = BODIES_A_TURN;
      this.#serve();
      if (this.#lines.size > 0) this.#nextTurn();
    });
  }

  #serve(): void {
    for (const [projectId, line] of this.#lines) {
      if (this.#left <= 0) return;
      const next = line.shift();
      // Behind the others, and found again by this very loop when they have had their turn.
      this.#lines.delete(projectId);
      if (line.length > 0) this.#lines.set(projectId, line);
      if (next === undefined) continue;
      this.#left -= next.weight;
      next.go();
    }
  }
}

/** Of this isolate: they share out its event loop. */
export const decodeTurns = new DecodeTurns();
