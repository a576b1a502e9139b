/** Stores what waits in the spool. Nothing that cannot be stored, or takes too long each time, holds up the rest. */
import { returnLease, takeLease } from "../accounts/kv.ts";
import { failureOf, sqlStateOf, StoreUnavailable, Unstorable } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { TimeLimitExceeded } from "../core/waiting.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { AsideFull, type SetAside, UNREADABLE } from "./set_aside.ts";
import {
  DAMAGED_PREFIX,
  decodeRequests,
  SPOOL_PREFIX,
  type SpooledRequest,
} from "./spool_objects.ts";

/** While something waits. Postgres is asked this often whether it is back. */
const BUSY_PAUSE_MS = 1_000;
/** Otherwise: a process that died may have left something. */
const IDLE_PAUSE_MS = 60_000;
/** A process of an older version may go on for a while, and set things aside. */
const OLDER_PAUSE_MS = 10 * 60_000;
const LEASE = "spool_replay";
/** Longer than some objects take; after this another process goes on. */
const LEASE_MS = 60_000;
/** Objects that are replayed side by side: they commit together, which takes little longer than one of them. */
const AT_ONCE = 8;

interface ReplayerOptions {
  readonly kv: Deno.Kv;
  readonly objects: ObjectStore;
  readonly log: Logger;
  /**
   * Stores one request for good.
   *
   * @throws {StoreUnavailable} when it has to wait longer, {Unstorable} when that does not help
   */
  readonly replay: (request: SpooledRequest) => Promise<void>;
  /** Whether Postgres answers, after a request has had to wait longer. @default it does not */
  readonly isWell?: () => Promise<boolean>;
  readonly aside: SetAside;
}

/** Stores spooled requests for good, oldest first, in one process at a time. */
export class SpoolReplayer {
  readonly #holder = crypto.randomUUID();
  readonly #held = new HeldBack();
  readonly #running: Promise<void>;
  #isClosing = false;
  #hasNews = false;
  #isFailing = false;
  #endPause: () => void = () => {};
  #lastReplayAt: Date | null = null;
  /** On the clock of `performance.now()`. */
  #olderDueAt = 0;

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
      await this.#takeOlder();
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

  /** An upgrade may have mended what refused them. Under the lease: an older process must not be who tries. */
  async #takeOlder(): Promise<void> {
    const { kv, log, aside } = this.options;
    if (performance.now() < this.#olderDueAt) return;
    if (!await takeLease(kv, LEASE, this.#holder, LEASE_MS)) return;
    const requests = await aside.tryOlder();
    if (requests > 0) log.info("what an older version set aside is tried again", { requests });
    this.#olderDueAt = performance.now() + OLDER_PAUSE_MS;
  }

  async #replayAll(keys: readonly string[]): Promise<void> {
    const { kv, log } = this.options;
    this.#held.keep(keys);
    const wanted = keys.filter((key) => !this.#held.isTooSoon(key));
    let requests = 0;
    for (let index = 0; index < wanted.length; index += AT_ONCE) {
      if (this.#isClosing) break;
      if (!await takeLease(kv, LEASE, this.#holder, LEASE_MS)) break;
      const group = wanted.slice(index, index + AT_ONCE);
      // All of them are read before, so that they begin in their order.
      const bodies = await Promise.all(group.map((key) => this.options.objects.get(key)));
      // Every one to its end, also when another fails: whoever takes the lease next must not meet them.
      const results = await Promise.allSettled(
        group.map((key, place) => this.#tryObject(key, bodies[place] ?? null)),
      );
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      const counts = results.flatMap((result) =>
        result.status === "fulfilled" ? [result.value] : []
      );
      for (const count of counts) requests += count ?? 0;
      // The writer takes nothing for a moment after it has waited in vain.
      if (counts.includes(null)) break;
    }
    if (requests === 0) return;
    this.#lastReplayAt = new Date();
    log.info("replayed the spool", { requests });
  }

  /**
   * Replays an object and deletes it.
   *
   * @param bytes of the object; null when it has gone
   * @returns how many requests it had; null when Postgres is well and did not take it in time
   * @throws what `replay` threw while Postgres is away
   */
  async #tryObject(key: string, bytes: Uint8Array | null): Promise<number | null> {
    const { objects, log } = this.options;
    try {
      const requests = bytes === null ? 0 : await this.#replayObject(key, bytes);
      await objects.delete(key);
      return requests;
    } catch (error) {
      // It stays, and others go on: there is no room to set it aside, or Postgres is well and does not take it.
      const isFull = error instanceof AsideFull;
      if (!isFull && !await this.#isWell(error)) throw error;
      this.#held.note(key);
      log.warn("a spooled object is held back: others go first", { key, error });
      return isFull ? 0 : null;
    }
  }

  /** Whether Postgres answers although it does not take a request: it takes too long each time, for instance. */
  async #isWell(error: unknown): Promise<boolean> {
    return error instanceof StoreUnavailable && await this.options.isWell?.() === true;
  }

  /** @throws {StoreUnavailable} when Postgres is still away: the object stays */
  async #replayObject(key: string, bytes: Uint8Array): Promise<number> {
    const requests = await this.#read(key, bytes);
    if (this.#held.timesOf(key) < TIMES_TOGETHER) await this.#replayRequests(requests);
    else await this.#replayOneByOne(requests);
    return requests.length;
  }

  /** So that only those which are at fault wait on. @throws the last error of those */
  async #replayOneByOne(requests: readonly SpooledRequest[]): Promise<void> {
    const errors: unknown[] = [];
    for (const request of requests) {
      await takeLease(this.options.kv, LEASE, this.#holder, LEASE_MS);
      try {
        await this.#replayRequests([request]);
      } catch (error) {
        const mayGoOn = error instanceof AsideFull || await this.#isWell(error);
        if (!mayGoOn || this.#isClosing) throw error;
        errors.push(error);
        await this.#pause(BUSY_PAUSE_MS);
      }
    }
    if (errors.length > 0) throw errors.at(-1);
  }

  async #read(key: string, bytes: Uint8Array): Promise<readonly SpooledRequest[]> {
    try {
      return decodeRequests(bytes);
    } catch (error) {
      const damaged = DAMAGED_PREFIX + key.slice(SPOOL_PREFIX.length);
      await this.options.objects.put(damaged, bytes);
      this.options.log.error("a spooled object is damaged: it is set aside", { damaged, error });
      return [];
    }
  }

  /** Together: they share transactions, as they would have when they came. Those that are at fault are set aside. */
  async #replayRequests(requests: readonly SpooledRequest[]): Promise<void> {
    const results = await Promise.allSettled(requests.map(this.options.replay));
    const failed = requests.flatMap((request, index) => {
      const result = results[index];
      return result?.status === "rejected" ? [{ request, error: result.reason }] : [];
    });
    const passing = failed.find(({ error }) => isPassing(error));
    if (passing !== undefined) throw passing.error;
    const added = await Promise.allSettled(
      failed.map(({ request, error }) => {
        const code = codeOf(error);
        return this.options.aside.add(request, code, code === UNREADABLE ? error : undefined);
      }),
    );
    const refused = added.find((result) => result.status === "rejected");
    if (refused !== undefined) throw refused.reason;
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

/** After so many times in vain the requests of an object are replayed one by one. */
const TIMES_TOGETHER = 2;
/** Doubled each time. */
const HOLD_MS = { first: 2_000, max: 300_000 };

/** Objects that were replayed in vain while Postgres was well, and are not tried each time. */
class HeldBack {
  readonly #objects = new Map<string, { readonly times: number; readonly until: number }>();

  timesOf(key: string): number {
    return this.#objects.get(key)?.times ?? 0;
  }

  isTooSoon(key: string): boolean {
    return (this.#objects.get(key)?.until ?? 0) > performance.now();
  }

  note(key: string): void {
    const times = this.timesOf(key) + 1;
    const ms = Math.min(HOLD_MS.first * 2 ** (times - 1), HOLD_MS.max);
    this.#objects.set(key, { times, until: performance.now() + ms });
  }

  /** Forgets all others: they are gone. */
  keep(keys: readonly string[]): void {
    if (this.#objects.size === 0) return;
    const there = new Set(keys);
    for (const key of this.#objects.keys()) if (!there.has(key)) this.#objects.delete(key);
  }
}

/** Whether a request may be stored later on although nobody has mended anything. */
function isPassing(error: unknown): boolean {
  if (error instanceof StoreUnavailable || error instanceof TimeLimitExceeded) return true;
  const failure = failureOf(error);
  return sqlStateOf(error) !== "" && (failure === "unavailable" || failure === "conflict");
}

function codeOf(error: unknown): string {
  return error instanceof Unstorable ? error.code : sqlStateOf(error) || UNREADABLE;
}
