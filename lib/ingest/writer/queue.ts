import type { Fate } from "./flush.ts";
import type { RequestRows } from "./prepare.ts";

/** One commit() on its way. */
export interface Waiting {
  readonly request: RequestRows;
  readonly bytes: number;
  /** On the clock of `performance.now()`: by then the caller has an answer. */
  readonly deadline: number;
  /** With one fate a row. */
  readonly succeed: (fates: readonly Fate[]) => void;
  readonly fail: (error: Error) => void;
}

export interface QueueLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** First in, first out, bounded by records and by bytes. */
export class WriterQueue {
  readonly #limits: QueueLimits;
  #waiting: Waiting[] = [];
  #records = 0;
  #bytes = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get records(): number {
    return this.#records;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** False, and nothing done, when there is no room. A request larger than the whole queue fits an empty one. */
  offer(waiting: Waiting): boolean {
    const records = this.#records + weight(waiting);
    const bytes = this.#bytes + waiting.bytes;
    const { maxRecords, maxBytes } = this.#limits;
    if ((records > maxRecords || bytes > maxBytes) && !this.isEmpty) return false;
    this.#records = records;
    this.#bytes = bytes;
    this.#waiting.push(waiting);
    return true;
  }

  /** Takes from the front what fits into one batch: at least one, whatever its size. */
  take({ maxRecords, maxBytes }: QueueLimits): Waiting[] {
    let records = 0;
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      records += weight(waiting);
      bytes += waiting.bytes;
      if (count > 0 && (records > maxRecords || bytes > maxBytes)) break;
      count++;
    }
    const taken = this.#waiting.splice(0, count);
    for (const waiting of taken) {
      this.#records -= weight(waiting);
      this.#bytes -= waiting.bytes;
    }
    return taken;
  }
}

/** A request of outcomes only takes room as well. */
function weight({ request }: Waiting): number {
  return Math.max(1, request.rows.length);
}
