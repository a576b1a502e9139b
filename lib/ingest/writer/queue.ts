import type { Fate } from "./fates.ts";
import type { RequestRows } from "./rows.ts";

/** One commit() on its way. */
export interface Waiting {
  readonly request: RequestRows;
  readonly bytes: number;
  /** When it came, on the clock of `performance.now()`. */
  readonly since: number;
  /** On the same clock: by then the caller has an answer. */
  readonly deadline: number;
  /** With one fate a row. */
  readonly succeed: (fates: readonly Fate[]) => void;
  readonly fail: (error: Error) => void;
}

export interface QueueLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** What one project may have in a commit while others wait: a commit takes as long as all that is in it. */
const SHARED = { maxRecords: 24, maxBytes: 500_000 };
/** Of the queue's limits, that others may use beyond them when one project has filled the queue. */
const RESERVE = 0.25;

/** What waits of one project, in the order in which it came. */
interface Line extends Size {
  readonly waiting: Waiting[];
}

interface Size {
  records: number;
  bytes: number;
}

/**
 * What waits for a commit, bounded by records and by bytes. Projects take turns, so that one that sends much makes
 * others wait for a small share of a commit and not for all that it has sent; requests of one project stay in order.
 */
export class WriterQueue {
  readonly #limits: QueueLimits;
  /** By project; the one whose turn is next comes first. */
  readonly #lines = new Map<string, Line>();
  readonly #size: Size = { records: 0, bytes: 0 };

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get records(): number {
    return this.#size.records;
  }

  get bytes(): number {
    return this.#size.bytes;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** What has waited longest, or null. */
  get oldest(): Waiting | null {
    let oldest: Waiting | null = null;
    for (const { waiting: [first] } of this.#lines.values()) {
      if (first !== undefined && (oldest === null || first.since < oldest.since)) oldest = first;
    }
    return oldest;
  }

  /** False, and nothing done, when there is no room. A request larger than the whole queue fits an empty one. */
  offer(waiting: Waiting): boolean {
    const { projectId } = waiting.request;
    const line = this.#lines.get(projectId) ?? { waiting: [], records: 0, bytes: 0 };
    if (!this.#hasRoom(line, waiting)) return false;
    line.waiting.push(waiting);
    for (const size of [line, this.#size]) change(size, waiting, 1);
    this.#lines.set(projectId, line);
    return true;
  }

  /**
   * Takes what fits into one batch, projects in turn: at least one request, whatever its size. While several projects
   * wait each has a bounded share of the batch.
   *
   * @param isWanted leaves the others where they are. @default all
   */
  take(limits: QueueLimits, isWanted: (projectId: string) => boolean = () => true): Waiting[] {
    const batch: Size = { records: 0, bytes: 0 };
    const taken: Waiting[] = [];
    const shares = new Map<string, Size>();
    const isShared = this.#lines.size > 1;
    let open = [...this.#lines.keys()].filter(isWanted);
    while (open.length > 0) {
      open = open.filter((projectId) => {
        const line = this.#lines.get(projectId);
        const [next] = line?.waiting ?? [];
        if (line === undefined || next === undefined) return false;
        const share = shares.get(projectId) ?? { records: 0, bytes: 0 };
        if (taken.length > 0 && !fits(batch, next, limits)) return false;
        if (isShared && share.records > 0 && !fits(share, next, SHARED)) return false;
        shares.set(projectId, share);
        line.waiting.shift();
        taken.push(next);
        for (const size of [batch, share]) change(size, next, 1);
        for (const size of [line, this.#size]) change(size, next, -1);
        return true;
      });
    }
    this.#letOthersBegin(shares.keys());
    return taken;
  }

  #hasRoom(line: Line, waiting: Waiting): boolean {
    if (this.isEmpty || fits(this.#size, waiting, this.#limits)) return true;
    const share = scaled(this.#limits, RESERVE / 2);
    return fits(line, waiting, share) &&
      fits(this.#size, waiting, scaled(this.#limits, 1 + RESERVE));
  }

  /** Those who had their turn come last in the next one. */
  #letOthersBegin(served: Iterable<string>): void {
    for (const projectId of served) {
      const line = this.#lines.get(projectId);
      this.#lines.delete(projectId);
      if (line !== undefined && line.waiting.length > 0) this.#lines.set(projectId, line);
    }
  }
}

function fits(size: Size, waiting: Waiting, { maxRecords, maxBytes }: QueueLimits): boolean {
  return size.records + weight(waiting) <= maxRecords && size.bytes + waiting.bytes <= maxBytes;
}

function change(size: Size, waiting: Waiting, sign: 1 | -1): void {
  size.records += sign * weight(waiting);
  size.bytes += sign * waiting.bytes;
}

function scaled({ maxRecords, maxBytes }: QueueLimits, factor: number): QueueLimits {
  return { maxRecords: maxRecords * factor, maxBytes: maxBytes * factor };
}

/** A request of outcomes only takes room as well. */
function weight({ request }: Waiting): number {
  return Math.max(1, request.rows.length);
}
