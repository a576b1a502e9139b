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
/** Objects of which nothing can be read wait here for a person to look at them. */
export const DAMAGED_PREFIX = "spool_set_aside/";
/** Milliseconds since 1970 with leading zeros. */
const TIME_DIGITS = 15;
const NUMBER_DIGITS = 9;

/** A new key for requests that have come at a moment. @param number puts those of one moment in order */
export function spoolKeyOf(receivedAt: Date, number = 0): string {
  const place = String(number).padStart(NUMBER_DIGITS, "0");
  return `${SPOOL_PREFIX}${timeDigits(receivedAt.getTime())}-${place}-${crypto.randomUUID()}`;
}

/** When the object under a key of the spool was written, or null for a key that is not ours. */
export function timeOfKey(key: string): Date | null {
  const digits = key.slice(SPOOL_PREFIX.length, SPOOL_PREFIX.length + TIME_DIGITS);
  return /^\d{15}$/.test(digits) ? new Date(Number(digits)) : null;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly kind: string;
  readonly receivedAt: Date;
  readonly done: PromiseWithResolvers<void>;
}

/** Requests that are written into one object. */
export interface ObjectGroup {
  readonly kind: string;
  readonly requests: number;
  /** When the first of them came. */
  readonly since: Date;
}

/** Writes requests to the object store in groups: those of a kind that wait together share an object. */
export class SpoolQueue {
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | null = null;

  /** @param keyOf names the object of a group, unlike every other. @default the next one of the spool */
  constructor(
    private readonly objects: ObjectStore,
    private readonly keyOf: (group: ObjectGroup) => string = spoolKeys(),
  ) {}

  /** Resolves when `bytes` are safe. @throws whatever the object store throws, or when it is too slow */
  add(bytes: Uint8Array, receivedAt: Date, kind = ""): Promise<void> {
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      return Promise.reject(new Error("Cannot spool: the object store is too slow"));
    }
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ bytes, kind, receivedAt, done });
    this.#waitingBytes += bytes.length;
    this.#writing ??= this.#writeAll().finally(() => this.#writing = null);
    return done.promise;
  }

  /** Resolves when everything that was added is written or refused. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (let group = this.#takeGroup(); group.length > 0; group = this.#takeGroup()) {
      try {
        const key = this.keyOf(describe(group));
        await this.objects.put(key, joinBytes(group.map(({ bytes }) => bytes)));
        for (const { done } of group) done.resolve();
      } catch (error) {
        for (const { done } of group) done.reject(error);
      }
      for (const { bytes } of group) this.#waitingBytes -= bytes.length;
    }
  }

  /** Of one kind, in their order, as many as an object holds. */
  #takeGroup(): Waiting[] {
    const kind = this.#waiting[0]?.kind;
    const group: Waiting[] = [];
    const others: Waiting[] = [];
    let size = 0;
    for (const waiting of this.#waiting) {
      const isWanted = waiting.kind === kind && size < MAX_OBJECT_BYTES;
      if (isWanted) size += waiting.bytes.length;
      const fits = isWanted && (group.length === 0 || size <= MAX_OBJECT_BYTES);
      (fits ? group : others).push(waiting);
    }
    this.#waiting = others;
    return group;
  }
}

function describe(group: readonly Waiting[]): ObjectGroup {
  const times = group.map(({ receivedAt }) => receivedAt.getTime());
  const since = new Date(Math.min(...times));
  return { kind: group[0]?.kind ?? "", requests: group.length, since };
}

/** Keys that sort by time, so that listing gives the order of arrival; unique across processes. */
function spoolKeys(): () => string {
  let written = 0;
  return () => spoolKeyOf(new Date(), written++);
}

/** A moment, in milliseconds since 1970, so that text sorts as time does. */
export function timeDigits(ms: number): string {
  return String(ms).padStart(TIME_DIGITS, "0");
}
