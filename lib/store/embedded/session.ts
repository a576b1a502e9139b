import type { PGlite } from "@electric-sql/pglite";

const SYNC = new Uint8Array([0x53, 0, 0, 0, 4]);

/**
 * PGlite has one session for everybody. This lends it to one holder at a time, first come, first served:
 * a connection keeps it for a whole exchange or transaction, so that answers never mix.
 */
export class Session {
  readonly #db: PGlite;
  #lastHold: Promise<void> = Promise.resolve();
  #searchPath = "public";
  #broken: string | null = null;

  constructor(db: PGlite) {
    this.#db = db;
  }

  /** Marks the engine as dead: everything afterwards fails at once instead of entering it again. */
  break(reason: string): void {
    this.#broken ??= reason;
  }

  get isBroken(): boolean {
    return this.#broken !== null;
  }

  /** Waits for the session and takes it. The holder must call `release()` once. */
  async acquire(): Promise<Hold> {
    const before = this.#lastHold;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastHold = promise;
    await before;
    return { db: this.#db, release: resolve };
  }

  /**
   * Runs complete wire messages and returns what Postgres answered. Only for the holder.
   *
   * @throws {Error} when the engine is dead
   */
  async exchange(messages: Uint8Array): Promise<Uint8Array<ArrayBuffer>[]> {
    this.#refuseWhenBroken();
    const reply: Uint8Array<ArrayBuffer>[] = [];
    // The bytes are a view into the engine's memory and change after the callback: copied.
    await this.#db.execProtocolRawStream(messages, {
      onRawData: (bytes) => reply.push(new Uint8Array(bytes)),
    });
    this.#refuseWhenBroken();
    return reply;
  }

  /** Points unqualified names at a schema: connections differ in it, the session is one. Only for the holder. */
  async useSearchPath(searchPath: string): Promise<void> {
    if (searchPath === this.#searchPath) return;
    this.#refuseWhenBroken();
    await this.#db.query("select set_config('search_path', $1, false)", [searchPath]);
    this.#searchPath = searchPath;
  }

  /** Ends what a holder left open: an exchange without its end, a transaction. Only for the holder. */
  async reset(): Promise<void> {
    if (this.isBroken) return;
    // After an error Postgres skips everything up to the next Sync, a rollback too.
    await this.exchange(SYNC);
    if (this.#db.isInTransaction()) await this.#db.exec("rollback");
  }

  #refuseWhenBroken(): void {
    if (this.#broken !== null) throw new Error(`Embedded Postgres died: ${this.#broken}`);
  }
}

/** The session, lent. */
export interface Hold {
  readonly db: PGlite;
  release(): void;
}
