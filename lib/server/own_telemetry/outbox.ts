/** What waits to be sent about ourselves: in memory, so that nothing of it can fill a disk, and dropped when it is full. */
import type { Logger } from "../../core/log.ts";
import { MEASURES, type OWN_WAYS } from "../../core/measures/measures.ts";

export type OwnWay = (typeof OWN_WAYS)[number];

/** Where a body goes. */
export type OwnPath = "envelope" | "v1/traces" | "v1/metrics";

interface Piece {
  readonly path: OwnPath;
  readonly body: string;
}

/** Takes one piece. @returns the status of the answer */
type Send = (piece: Piece) => Promise<number>;

/** Characters of what waits for one receiver; a profile has some ten thousand. */
const MOST = 1_000_000;

/** The queue to one receiver. */
export class Outbox {
  #pieces: Piece[] = [];
  #size = 0;
  #isFailing = false;

  constructor(readonly way: OwnWay, private readonly log: Pick<Logger, "warn">) {}

  /** Adds a piece, or drops it when there is no room. */
  put(path: OwnPath, body: string): void {
    if (this.#size + body.length > MOST) return this.dropped(1);
    this.#pieces.push({ path, body });
    this.#size += body.length;
  }

  /** Counts what did not even get here. */
  dropped(count: number): void {
    if (count > 0) MEASURES.ownPieces.add(count, this.way, "dropped");
  }

  /** Sends in order until something fails, which is tried again next time unless the receiver refuses it for good. */
  async flush(send: Send): Promise<void> {
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const status = await send(piece).catch(() => 0);
      const isTaken = status >= 200 && status < 300;
      const isRefused = status >= 300 && status < 500 && status !== 408 && status !== 429;
      if (!isTaken && !isRefused) return this.#tell(status);
      this.#pieces.shift();
      this.#size -= piece.body.length;
      if (isRefused) {
        this.dropped(1);
        this.#tell(status);
        continue;
      }
      this.#isFailing = false;
      MEASURES.ownPieces.add(1, this.way, "sent");
      MEASURES.ownSentAt.set(Date.now() / 1_000, this.way);
    }
  }

  /** Drops all that waits, since nobody wants it any more. */
  clear(): void {
    this.#pieces = [];
    this.#size = 0;
  }

  #tell(status: number): void {
    if (!this.#isFailing) {
      this.log.warn("what Watchpost tells of itself is not taken", { way: this.way, status });
    }
    this.#isFailing = true;
  }
}
