import type { Logger } from "../core/log.ts";
import { VERSION } from "../core/config.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { SetAside } from "./set_aside.ts";
import {
  DAMAGED_PREFIX,
  encodeRequest,
  SPOOL_PREFIX,
  type SpooledRequest,
  SpoolQueue,
  timeOfKey,
} from "./spool_objects.ts";
import { SpoolReplayer } from "./spool_replayer.ts";

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
  /** Whether Postgres answers, after a request has had to wait longer. @default it does not */
  readonly isWell?: () => Promise<boolean>;
}

/** Other processes fill the same spool: their share is counted again this often. */
const RECOUNT_MS = 5_000;

/** Opens the spool and starts to replay what an earlier process left in it. */
export function openSpool(options: SpoolOptions): Spool {
  const { objects, log, maxBytes, asideMaxBytes = maxBytes, version = VERSION } = options;
  const queue = new SpoolQueue(objects);
  const usage = new SpoolUsage(objects);
  const aside = new SetAside({ objects, log, maxBytes: asideMaxBytes, version });
  const replayer = new SpoolReplayer({ ...options, aside });
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
    for await (const _ of this.objects.list(DAMAGED_PREFIX)) setAside++;
    this.setAside = setAside;
    this.oldest = oldest;
    this.#counted = counted;
    this.#added.bytes -= before.bytes;
    this.#added.objects -= before.objects;
    this.#countedAt = performance.now();
  }
}
