import { returnLease, takeLease } from "../accounts/kv.ts";
import type { Logger } from "../core/log.ts";
import { VERSION } from "../core/config.ts";
import { failureOf, sqlStateOf, StoreUnavailable, Unstorable } from "../core/errors.ts";
import { TimeLimitExceeded } from "../core/waiting.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { AsideFull, SetAside, UNREADABLE } from "./set_aside.ts";
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
  /** Objects that are damaged: somebody has to look at them. */
  readonly setAsideObjects: number;
  /** When this process last stored something that had waited. */
  readonly lastReplayAt: Date | null;
}

export interface Spool {
  /** Bytes that wait, as far as this process knows; other processes' count from the last listing on. */
  readonly waitingBytes: number;
  /** Where requests go that it would replay for ever. */
  readonly aside: SetAside;
  /** @throws what the object store throws */
  state(): Promise<SpoolState>;
  /** Resolves when the request is durable. @throws {SpoolFull}, or what the object store throws */
  add(request: SpooledRequest): Promise<void>;
  /** Something was put back into it: it is replayed at once, rather than in a minute. */
  lookAgain(): void;
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
  /** Bytes of requests that may be set aside. @default as many as may wait */
  readonly asideMaxBytes?: number;
  /** Of this process. @default the one that runs */
  readonly version?: string;
  /**
   * Stores one request for good.
   *
   * @throws {StoreUnavailable} when it has to wait longer, {Unstorable} when that does not help
   */
  readonly replay: (request: SpooledRequest) => Promise<void>;
}

/** Other processes fill the same spool: their share is counted again this often. */
const RECOUNT_MS = 5_000;

/** Opens the spool and starts to replay what an earlier process left in it. */
export function openSpool(options: SpoolOptions): Spool {
  const { kv, objects, log, maxBytes, asideMaxBytes = maxBytes, version = VERSION, replay } =
    options;
  const queue = new SpoolQueue(objects);
  const usage = new SpoolUsage(objects);
  const aside = new SetAside({ objects, log, maxBytes: asideMaxBytes, version });
  const replayer = new SpoolReplayer({ kv, objects, log, replay, aside });
  return {
    aside,
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
      await queue.add(bytes, request.receivedAt);
      replayer.expect();
    },
    lookAgain: () => replayer.expect(),
    async close() {
      await Promise.all([queue.close(), usage.close()]);
      await replayer.close();
      await aside.close();
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

/** Objects of which nothing can be read wait here for a person to look at them. */
const SET_ASIDE_PREFIX = "spool_set_aside/";

/** While something waits. Postgres is asked this often whether it is back. */
const BUSY_PAUSE_MS = 1_000;
/** Otherwise: a process that died may have left something. */
const IDLE_PAUSE_MS = 60_000;
/** A process of an older version may go on for a while, and set things aside. */
const OLDER_PAUSE_MS = 10 * 60_000;
const LEASE = "spool_replay";
/** Longer than one object takes; after this another process goes on. */
const LEASE_MS = 60_000;

interface ReplayerOptions {
  readonly kv: Deno.Kv;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly replay: (request: SpooledRequest) => Promise<void>;
  readonly aside: SetAside;
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
    const { kv, objects, log } = this.options;
    let requests = 0;
    for (const key of keys) {
      if (this.#isClosing) break;
      if (!await takeLease(kv, LEASE, this.#holder, LEASE_MS)) break;
      try {
        requests += await this.#replayObject(key);
        await objects.delete(key);
      } catch (error) {
        // It stays, and holds up no other: there is no room to set it aside.
        if (!(error instanceof AsideFull)) throw error;
      }
    }
    if (requests === 0) return;
    this.#lastReplayAt = new Date();
    log.info("replayed the spool", { requests });
  }

  /** @throws {StoreUnavailable} when Postgres is still away: the object stays */
  async #replayObject(key: string): Promise<number> {
    const bytes = await this.options.objects.get(key);
    if (bytes === null) return 0;
    const requests = await this.#read(key, bytes);
    await this.#replayRequests(requests);
    return requests.length;
  }

  async #read(key: string, bytes: Uint8Array): Promise<readonly SpooledRequest[]> {
    try {
      return decodeRequests(bytes);
    } catch (error) {
      const damaged = SET_ASIDE_PREFIX + key.slice(SPOOL_PREFIX.length);
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
      failed.map(({ request, error }) => this.options.aside.add(request, codeOf(error))),
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

/** Whether a request may be stored later on although nobody has mended anything. */
function isPassing(error: unknown): boolean {
  if (error instanceof StoreUnavailable || error instanceof TimeLimitExceeded) return true;
  const failure = failureOf(error);
  return sqlStateOf(error) !== "" && (failure === "unavailable" || failure === "conflict");
}

function codeOf(error: unknown): string {
  return error instanceof Unstorable ? error.code : sqlStateOf(error) || UNREADABLE;
}
