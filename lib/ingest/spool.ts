import { returnLease, takeLease } from "../accounts/kv.ts";
import type { Logger } from "../core/log.ts";
import { StoreUnavailable } from "../core/errors.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import {
  decodeRequests,
  encodeRequest,
  SPOOL_PREFIX,
  type SpooledRequest,
  SpoolQueue,
  timeOfKey,
} from "./spool_objects.ts";

/** Where requests wait while Postgres is away. What is added is as safe as a committed row. */
export interface SpoolState {
  /** Of what waits, as of at most a few seconds ago. */
  readonly waitingBytes: number;
  readonly waitingObjects: number;
  readonly oldestWaitingSince: Date | null;
  readonly maxBytes: number;
  /** Objects that could not be replayed for a reason of their own: somebody has to look at them. */
  readonly setAsideObjects: number;
  /** When this process last stored something that had waited. */
  readonly lastReplayAt: Date | null;
}

export interface Spool {
  /** Bytes that wait, as far as this process knows; other processes' count from the last listing on. */
  readonly waitingBytes: number;
  /** @throws what the object store throws */
  state(): Promise<SpoolState>;
  /** Resolves when the request is durable. @throws {SpoolFull}, or what the object store throws */
  add(request: SpooledRequest): Promise<void>;
  /** Finishes what is being written or replayed, and stops. */
  close(): Promise<void>;
}

/** No more requests may wait: the caller asks its client to come again. */
export class SpoolFull extends Error {
  override name = "SpoolFull";
}

interface SpoolOptions {
  readonly kv: Deno.Kv;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly maxBytes: number;
  /** Stores one request for good. @throws {StoreUnavailable} when it has to wait longer */
  readonly replay: (request: SpooledRequest) => Promise<void>;
}

/** Other processes fill the same spool: their share is counted again this often. */
const RECOUNT_MS = 5_000;

/** Opens the spool and starts to replay what an earlier process left in it. */
export function openSpool({ kv, objects, log, maxBytes, replay }: SpoolOptions): Spool {
  const queue = new SpoolQueue(objects);
  const usage = new SpoolUsage(objects);
  const replayer = new SpoolReplayer({ kv, objects, log, replay });
  return {
    get waitingBytes() {
      return usage.bytes;
    },
    async state() {
      await usage.recount();
      return {
        waitingBytes: usage.bytes,
        waitingObjects: usage.objectCount,
        oldestWaitingSince: usage.oldest,
        maxBytes,
        setAsideObjects: usage.setAside,
        lastReplayAt: replayer.lastReplayAt,
      };
    },
    async add(request) {
      const bytes = encodeRequest(request);
      await usage.refresh();
      if (usage.bytes + bytes.length > maxBytes) throw new SpoolFull("The spool is full");
      usage.add(bytes.length);
      await queue.add(bytes);
      replayer.expect();
    },
    async close() {
      await Promise.all([queue.close(), usage.close()]);
      await replayer.close();
    },
  };
}

/** How full the spool is. */
class SpoolUsage {
  #counted = { bytes: 0, objects: 0 };
  /** Since the last listing began: counting some of it twice errs on the safe side. */
  #added = { bytes: 0, objects: 0 };
  #countedAt = -Infinity;
  #counting: Promise<void> | null = null;

  constructor(private readonly objects: ObjectStore) {}

  setAside = 0;
  oldest: Date | null = null;

  get bytes(): number {
    return this.#counted.bytes + this.#added.bytes;
  }

  get objectCount(): number {
    return this.#counted.objects + this.#added.objects;
  }

  add(bytes: number): void {
    this.#added.bytes += bytes;
    this.#added.objects++;
  }

  /** Waits for the first listing; later ones, which may be long, go on beside. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#countedAt < RECOUNT_MS) return;
    this.#counting ??= this.#count().finally(() => this.#counting = null);
    if (this.#countedAt === -Infinity) await this.#counting;
    else this.#counting.catch(() => {});
  }

  /** Waits for a listing that is at most a few seconds old. */
  async recount(): Promise<void> {
    await this.refresh();
    await this.#counting;
  }

  async close(): Promise<void> {
    await this.#counting?.catch(() => {});
  }

  async #count(): Promise<void> {
    const before = { ...this.#added };
    const counted = { bytes: 0, objects: 0 };
    let oldest: Date | null = null;
    for await (const { key, size } of this.objects.list(SPOOL_PREFIX)) {
      counted.bytes += size;
      counted.objects++;
      // Keys sort by time.
      oldest ??= timeOfKey(key);
    }
    let setAside = 0;
    for await (const _ of this.objects.list(SET_ASIDE_PREFIX)) setAside++;
    this.setAside = setAside;
    this.oldest = oldest;
    this.#counted = counted;
    this.#added.bytes -= before.bytes;
    this.#added.objects -= before.objects;
    this.#countedAt = performance.now();
  }
}

/** Objects that could not be replayed for a reason of their own wait here for a person to look at them. */
const SET_ASIDE_PREFIX = "spool_set_aside/";

/** While something waits. Postgres is asked this often whether it is back. */
const BUSY_PAUSE_MS = 1_000;
/** Otherwise: a process that died may have left something. */
const IDLE_PAUSE_MS = 60_000;
const LEASE = "spool_replay";
/** Longer than one object takes; after this another process goes on. */
const LEASE_MS = 60_000;

interface ReplayerOptions {
  readonly kv: Deno.Kv;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly replay: (request: SpooledRequest) => Promise<void>;
}

/** Stores spooled requests for good, oldest first, in one process at a time. */
class SpoolReplayer {
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
