import { joinBytes } from "../core/read_body.ts";
import type { ObjectStore } from "../store/objects/store.ts";

/** A request that could not be stored yet: its body as sent, and all that decoding it later needs. */
export interface SpooledRequest {
  readonly requestId: string;
  readonly protocol: string;
  readonly projectId: string;
  readonly publicKey: string;
  readonly receivedAt: Date;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
  readonly address: string;
  readonly contentType: string;
  readonly client: string | null;
  /** `Content-Encoding` of `body`. */
  readonly encoding: string;
  readonly body: Uint8Array;
}

type Head = Omit<SpooledRequest, "body" | "receivedAt" | "requestId"> & {
  readonly receivedAt: string;
  readonly requestId?: string;
};

/** What objects lack that an older version wrote. */
const LATER_FIELDS = { userAgent: null, address: "", contentType: "" };

/** The bytes before each part say how long it is. */
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Turns a request into bytes that can stand in a row: length, head as JSON, length, body. */
export function encodeRequest({ body, ...head }: SpooledRequest): Uint8Array {
  const headBytes = encoder.encode(JSON.stringify(head));
  const bytes = new Uint8Array(2 * LENGTH_BYTES + headBytes.length + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, headBytes.length);
  bytes.set(headBytes, LENGTH_BYTES);
  view.setUint32(LENGTH_BYTES + headBytes.length, body.length);
  bytes.set(body, 2 * LENGTH_BYTES + headBytes.length);
  return bytes;
}

/**
 * Reads the requests of one spool object.
 *
 * @throws {RangeError | SyntaxError} when the bytes are not what `encodeRequest()` made
 */
export function decodeRequests(bytes: Uint8Array): SpooledRequest[] {
  const requests: SpooledRequest[] = [];
  const parts = new PartReader(bytes);
  while (!parts.isAtEnd) {
    const head: Head = { ...LATER_FIELDS, ...JSON.parse(decoder.decode(parts.next())) };
    requests.push({
      ...head,
      // Versions before had none: a new one stores what their event ids do not recognise.
      requestId: head.requestId ?? crypto.randomUUID(),
      receivedAt: new Date(head.receivedAt),
      body: parts.next(),
    });
  }
  return requests;
}

class PartReader {
  #offset = 0;
  readonly #view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#offset === this.bytes.length;
  }

  next(): Uint8Array {
    const start = this.#offset + LENGTH_BYTES;
    const end = start + this.#view.getUint32(this.#offset);
    if (end > this.bytes.length) throw new RangeError("Cannot read spool object: it is cut short");
    this.#offset = end;
    return this.bytes.subarray(start, end);
  }
}

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
