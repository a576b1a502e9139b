import { returnLease, takeLease } from "../accounts/leases.ts";
import type { Logger } from "../core/log.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { StoreUnavailable } from "../core/store_errors.ts";
import { decodeRequests, type SpooledRequest } from "./spool_object.ts";
import { SPOOL_PREFIX } from "./spool_queue.ts";

/** Objects that could not be replayed for a reason of their own wait here for a person to look at them. */
export const SET_ASIDE_PREFIX = "spool_set_aside/";

/** While something waits. Postgres is asked this often whether it is back. */
const BUSY_PAUSE_MS = 1_000;
/** Otherwise: a process that died may have left something. */
const IDLE_PAUSE_MS = 60_000;
const LEASE = "spool_replay";
/** Longer than one object takes; after this another process goes on. */
const LEASE_MS = 60_000;

export interface ReplayerOptions {
  readonly kv: Deno.Kv;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly replay: (request: SpooledRequest) => Promise<void>;
}

/** Stores spooled requests for good, oldest first, in one process at a time. */
export class SpoolReplayer {
  readonly #holder = crypto.randomUUID();
  readonly #running: Promise<void>;
  #isClosing = false;
  #hasNews = false;
  #isFailing = false;
  #endPause: () => void = () => {};
  #lastReplayAt: Date | null = null;

  constructor(private readonly options: ReplayerOptions) {
    this.#running = this.#run();
  }

  get lastReplayAt(): Date | null {
    return this.#lastReplayAt;
  }

  /** Something was added: look soon, rather than in a minute. */
  expect(): void {
    if (this.#hasNews) return;
    this.#hasNews = true;
    this.#endPause();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#hasNews = false;
      const isWaiting = await this.#pass() || this.#hasNews;
      // During an outage something is added all the time, which is no reason to look all the time.
      this.#hasNews = isWaiting;
      await this.#pause(isWaiting ? BUSY_PAUSE_MS : IDLE_PAUSE_MS);
    }
  }

  /** Replays what it can. @returns whether something still waits */
  async #pass(): Promise<boolean> {
    const { kv, objects, log } = this.options;
    try {
      const keys: string[] = [];
      for await (const { key } of objects.list(SPOOL_PREFIX)) keys.push(key);
      if (keys.length > 0) await this.#replayAll(keys);
      this.#isFailing = false;
      return keys.length > 0;
    } catch (error) {
      // Once: it is tried again every second.
      if (!this.#isFailing) log.warn("cannot replay the spool yet", { error });
      this.#isFailing = true;
      return true;
    } finally {
      await returnLease(kv, LEASE, this.#holder).catch(() => {});
    }
  }

  async #replayAll(keys: readonly string[]): Promise<void> {
    const { kv, objects, log } = this.options;
    let requests = 0;
    for (const key of keys) {
      if (this.#isClosing) break;
      if (!await takeLease(kv, LEASE, this.#holder, LEASE_MS)) break;
      requests += await this.#replayObject(key);
      await objects.delete(key);
    }
    if (requests === 0) return;
    this.#lastReplayAt = new Date();
    log.info("replayed the spool", { requests });
  }

  /** @throws {StoreUnavailable} when Postgres is still away: the object stays */
  async #replayObject(key: string): Promise<number> {
    const bytes = await this.options.objects.get(key);
    if (bytes === null) return 0;
    try {
      const requests = decodeRequests(bytes);
      await this.#replayRequests(requests);
      return requests.length;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      await this.#setAside(key, bytes, error);
      return 0;
    }
  }

  /** Together: they share transactions, as they would have when they came. */
  async #replayRequests(requests: readonly SpooledRequest[]): Promise<void> {
    const results = await Promise.allSettled(requests.map(this.options.replay));
    const errors = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
    if (errors.length === 0) return;
    throw errors.find((error) => error instanceof StoreUnavailable) ?? errors[0];
  }

  async #setAside(key: string, bytes: Uint8Array, error: unknown): Promise<void> {
    const aside = SET_ASIDE_PREFIX + key.slice(SPOOL_PREFIX.length);
    await this.options.objects.put(aside, bytes);
    this.options.log.error("cannot replay a spooled object: it is set aside", { aside, error });
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = setTimeout(resolve, ms);
    if (this.#isClosing) resolve();
    await promise;
    clearTimeout(timer);
  }
}
