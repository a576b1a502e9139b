import type { ObjectStore } from "../store/objects/store.ts";
import { joinBytes } from "../core/join_bytes.ts";

/** One object holds as many waiting requests as fit: on S3 every object costs a round trip and money. */
const MAX_OBJECT_BYTES = 4_000_000;
/** Requests that wait for a slow object store hold memory; beyond this they are refused. */
const MAX_WAITING_BYTES = 32_000_000;

export const SPOOL_PREFIX = "spool/";
/** Milliseconds since 1970 with leading zeros. */
const TIME_DIGITS = 15;
const NUMBER_DIGITS = 9;

/** When the object under a key of the spool was written, or null for a key that is not ours. */
export function timeOfKey(key: string): Date | null {
  const digits = key.slice(SPOOL_PREFIX.length, SPOOL_PREFIX.length + TIME_DIGITS);
  return /^\d{15}$/.test(digits) ? new Date(Number(digits)) : null;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly done: PromiseWithResolvers<void>;
}

/** Writes requests to the object store in groups: those that wait together share an object. */
export class SpoolQueue {
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | null = null;
  #written = 0;

  constructor(private readonly objects: ObjectStore) {}

  /** Resolves when `bytes` are safe. @throws whatever the object store throws, or when it is too slow */
  add(bytes: Uint8Array): Promise<void> {
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      return Promise.reject(new Error("Cannot spool: the object store is too slow"));
    }
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ bytes, done });
    this.#waitingBytes += bytes.length;
    this.#writing ??= this.#writeAll().finally(() => this.#writing = null);
    return done.promise;
  }

  /** Resolves when everything that was added is written or refused. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        await this.objects.put(this.#nextKey(), joinBytes(group.map(({ bytes }) => bytes)));
        for (const { done } of group) done.resolve();
      } catch (error) {
        for (const { done } of group) done.reject(error);
      }
      for (const { bytes } of group) this.#waitingBytes -= bytes.length;
    }
  }

  #takeGroup(): Waiting[] {
    let size = 0;
    let count = 0;
    for (const { bytes } of this.#waiting) {
      size += bytes.length;
      if (count > 0 && size > MAX_OBJECT_BYTES) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Sorts by time, so that listing gives the order of arrival; unique across processes. */
  #nextKey(): string {
    const time = String(Date.now()).padStart(TIME_DIGITS, "0");
    const number = String(this.#written++).padStart(NUMBER_DIGITS, "0");
    return `${SPOOL_PREFIX}${time}-${number}-${crypto.randomUUID()}`;
  }
}
