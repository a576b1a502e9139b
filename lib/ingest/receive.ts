import {
  type BodyLimits,
  type BodyStart,
  decodedLimit,
  readBody,
  readStart,
  tooLarge,
} from "../core/read_body.ts";
import { Refusal } from "../core/refusal.ts";
import type { Category } from "../records/mod.ts";
import { inflate, inflateStart } from "./inflate.ts";

/** Bodies of refused requests are taken in up to this size: most of them have arrived with the head. */
const MAX_LEFT_BYTES = 65_536;

/** How large a body may be. */
export interface BodySize {
  /** Bytes as sent. */
  readonly maxBytes: number;
  /** Bytes after decompression. */
  readonly maxDecodedBytes: number;
}

/** What a body over a limit still holds whole, as a body of its own. */
export interface WholePart {
  /** Null: nothing that could be taken. */
  readonly bytes: Uint8Array | null;
  /** What stood at the cut, and how many elements of it are lost. */
  readonly lost: { readonly category: Category; readonly quantity: number };
}

/**
 * Tells what is whole of the start of a decompressed body that was cut off.
 *
 * @param share of the whole body, by its bytes as sent; 1 when that is not known
 * @returns null when nothing is, and nobody knows what is lost
 */
export type FindWhole = (start: Uint8Array, share: number) => WholePart | null;

/** A body as sent. */
export interface Received {
  readonly body: Uint8Array;
  /** `Content-Encoding` of `body`. */
  readonly encoding: string;
}

/**
 * A request's body: read and decompressed once, when somebody first asks for it. One over a limit is refused or, where
 * its protocol can tell what is whole of its start, becomes that part: clients do not send again what got 413.
 */
export class Body {
  #read: Promise<BodyStart> | null = null;
  #taken: Promise<Received & { readonly decoded: Uint8Array }> | null = null;
  #cut: Refusal | null = null;

  constructor(
    private readonly req: Request,
    private readonly limits: BodyLimits & BodySize,
    private readonly findWhole?: FindWhole,
    /** Waited for between reading and unpacking: others may be before it. */
    private readonly turn?: (bytes: number) => Promise<void> | undefined,
  ) {}

  /** The answer to a body of which only a part was taken; null for whole ones, and before the body was read. */
  get cut(): Refusal | null {
    return this.#cut;
  }

  /**
   * Lets go of a body that nobody has read and nobody will. A short one is taken in: over HTTP/1 what is left unread
   * costs the connection, and a new one more than the bytes.
   */
  leave(): void {
    const announced = Number(this.req.headers.get("content-length") ?? Infinity);
    if (this.#read !== null || announced > MAX_LEFT_BYTES) return;
    this.req.bytes().catch(() => {});
  }

  /** The bytes as sent of a body that is within its limits; null for another. @throws {Refusal} as `readBody()` */
  async whole(): Promise<Received | null> {
    const { bytes, isWhole } = await this.#start();
    return isWhole ? { body: bytes, encoding: this.#encoding } : null;
  }

  /** The bytes as sent, and their `Content-Encoding`; or the part that is taken. @throws {Refusal} as `decoded()` */
  async asReceived(): Promise<Received> {
    if (this.#taken === null) return await this.whole() ?? await this.#takeOnce();
    const { body, encoding } = await this.#taken;
    return { body, encoding };
  }

  /** The decompressed bytes. @throws {Refusal} as `readBody()` and `inflate()` */
  async decoded(): Promise<Uint8Array> {
    return (await this.#takeOnce()).decoded;
  }

  get #encoding(): string {
    return this.req.headers.get("content-encoding") ?? "";
  }

  #takeOnce() {
    return this.#taken ??= this.#take();
  }

  #start(): Promise<BodyStart> {
    return this.#read ??= this.findWhole === undefined
      ? readBody(this.req, this.limits).then((bytes) => ({ bytes, isWhole: true }))
      : readStart(this.req, this.limits);
  }

  async #take() {
    const encoding = this.#encoding;
    const { maxBytes, maxDecodedBytes } = this.limits;
    const { bytes: body, isWhole } = await this.#start();
    await this.turn?.(body.length);
    if (!isWhole) return await this.#wholePart(body, encoding, tooLarge(maxBytes));
    try {
      return { body, encoding, decoded: inflate(body, encoding, maxDecodedBytes) };
    } catch (error) {
      const isOver = error instanceof Refusal && error.status === 413;
      if (!isOver || this.findWhole === undefined) throw error;
      return await this.#wholePart(body, encoding, error);
    }
  }

  async #wholePart(start: Uint8Array, encoding: string, refusal: Refusal) {
    const decoded = await inflateStart(start, encoding, this.limits.maxDecodedBytes);
    const announced = Number(this.req.headers.get("content-length"));
    const share = announced > start.length ? start.length / announced : 1;
    const whole = this.findWhole?.(decoded, share) ?? null;
    if (whole === null) throw refusal;
    const { status, detail, outcome, headers } = refusal;
    const cut = new Refusal(status, detail, { ...outcome, ...whole.lost }, headers);
    if (whole.bytes === null) throw cut;
    this.#cut = cut;
    return { body: whole.bytes, encoding: "", decoded: whole.bytes };
  }
}

/**
 * How large a body of a protocol may be.
 *
 * @param own of the protocol, where its bodies may be larger than an event
 * @param maxEventBytes as the operator allows them
 */
export function bodySize(own: BodySize | undefined, maxEventBytes: number): BodySize {
  const decoded = decodedLimit(maxEventBytes);
  return {
    maxBytes: Math.max(maxEventBytes, own?.maxBytes ?? 0),
    maxDecodedBytes: Math.max(decoded, own?.maxDecodedBytes ?? 0),
  };
}
