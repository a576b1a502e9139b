import { inflate, inflateStart } from "./inflate.ts";
import type { Category } from "../records/mod.ts";
import { joinBytes } from "../core/join_bytes.ts";
import { Refusal } from "../core/refusal.ts";

/** A phone on a bad line sends 1 MB in about 20 s; whoever takes longer only holds a connection. */
export const BODY_TIMEOUT_MS = 30_000;

/**
 * A service that stops answers what has arrived this long after its signal; the drain takes three seconds more, in which
 * it is stored.
 */
const LAST_BODY_MS = 3_000;

/**
 * Bytes of one request after decompression. 1 MB of compressed telemetry unfolds to 5-10 MB, and inflating
 * this much holds the thread for about 25 ms.
 */
export const MAX_DECODED_BYTES = 12_000_000;

/** How large a body may be. */
export interface BodySize {
  /** Bytes as sent. */
  readonly maxBytes: number;
  /** Bytes after decompression. */
  readonly maxDecodedBytes: number;
}

export interface BodyLimits extends Pick<BodySize, "maxBytes"> {
  /** @default {BODY_TIMEOUT_MS} */
  readonly timeoutMs?: number;
  /** Aborted when the service begins to stop: what is still missing `LAST_BODY_MS` later is to be sent again. */
  readonly stopping?: AbortSignal;
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

interface Received {
  readonly body: Uint8Array;
  /** `Content-Encoding` of `body`. */
  readonly encoding: string;
}

/**
 * A request's body: read and decompressed once, when somebody first asks for it. One over a limit is refused or, where
 * its protocol can tell what is whole of its start, becomes that part: clients do not send again what got 413.
 */
export class Body {
  #taken: Promise<Received & { readonly decoded: Uint8Array }> | null = null;
  #cut: Refusal | null = null;

  constructor(
    private readonly req: Request,
    private readonly limits: BodyLimits & BodySize,
    private readonly findWhole?: FindWhole,
  ) {}

  /** The answer to a body of which only a part was taken; null for whole ones, and before the body was read. */
  get cut(): Refusal | null {
    return this.#cut;
  }

  /** The bytes as sent, and their `Content-Encoding`; or the part that is taken. @throws {Refusal} as `decoded()` */
  async asReceived(): Promise<Received> {
    const { body, encoding } = await (this.#taken ??= this.#take());
    return { body, encoding };
  }

  /** The decompressed bytes. @throws {Refusal} as `readBody()` and `inflate()` */
  async decoded(): Promise<Uint8Array> {
    return (await (this.#taken ??= this.#take())).decoded;
  }

  async #take() {
    const encoding = this.req.headers.get("content-encoding") ?? "";
    const { maxBytes, maxDecodedBytes } = this.limits;
    if (this.findWhole === undefined) {
      const body = await readBody(this.req, this.limits);
      return { body, encoding, decoded: inflate(body, encoding, maxDecodedBytes) };
    }
    const { bytes: body, isWhole } = await readStart(this.req, this.limits);
    if (!isWhole) return await this.#wholePart(body, encoding, tooLarge(maxBytes));
    try {
      return { body, encoding, decoded: inflate(body, encoding, maxDecodedBytes) };
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 413) throw error;
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

/** Cap on a decompressed body where `maxBytes` is the one on the body as sent. */
export function decodedLimit(maxBytes: number): number {
  return Math.max(MAX_DECODED_BYTES, maxBytes);
}

/**
 * Reads a request's body as sent, and not a byte more than allowed.
 *
 * @throws {Refusal} 413 above the limit, at once when `Content-Length` says so; 408 when the client is
 * too slow; 400 when it goes away; 503 when the service stops before all is here
 */
export async function readBody(req: Request, limits: BodyLimits): Promise<Uint8Array> {
  const { maxBytes } = limits;
  if (Number(req.headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
  const { bytes, isWhole } = await readStart(req, limits);
  if (!isWhole) throw tooLarge(maxBytes);
  return bytes;
}

/** The first bytes of a body, as many as are allowed, and whether there are no more. */
interface BodyStart {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** @throws {Refusal} 408 when the client is too slow; 400 when it goes away; 503 when the service stops before */
async function readStart(
  req: Request,
  { maxBytes, timeoutMs = BODY_TIMEOUT_MS, stopping }: BodyLimits,
): Promise<BodyStart> {
  const announced = req.headers.get("content-length");
  const { promise: late, reject } = Promise.withResolvers<never>();
  let timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs);
  const hurry = () => {
    clearTimeout(timer);
    timer = setTimeout(() => reject(isStopping()), Math.min(timeoutMs, LAST_BODY_MS));
  };
  if (stopping?.aborted) hurry();
  else stopping?.addEventListener("abort", hurry);
  // The server gives no more than was announced; reading that at once costs a third of reading chunks.
  const isAnnounced = announced !== null && /^\d+$/.test(announced);
  // Not even a look at `req.body`, which alone turns the body into a stream.
  const reading = isAnnounced && Number(announced) <= maxBytes
    ? req.bytes().then((bytes) => ({ bytes, isWhole: true }))
    : readChunks(req, maxBytes, late);
  try {
    return await Promise.race([reading.catch(toAborted), late]);
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener("abort", hurry);
  }
}

async function readChunks(
  { body }: Request,
  maxBytes: number,
  late: Promise<never>,
): Promise<BodyStart> {
  if (body === null) return { bytes: new Uint8Array(0), isWhole: true };
  const reader = body.getReader();
  const cancel = () => reader.cancel().catch(() => {});
  late.catch(cancel);
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joinBytes(chunks), isWhole: true };
    total += value.length;
    chunks.push(value);
    if (total > maxBytes) {
      cancel();
      return { bytes: joinBytes(chunks).subarray(0, maxBytes), isWhole: false };
    }
  }
}

/** The client went away in mid-body: nobody hears the answer, but it is counted and not logged. */
function toAborted(error: unknown): never {
  if (error instanceof Refusal) throw error;
  throw new Refusal(400, "The request body ended early", {
    kind: "invalid",
    reason: "aborted_body",
  });
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, `The request body is larger than ${maxBytes} bytes`, {
    kind: "too_large",
    reason: "request_body",
  });
}

function tooSlow(timeoutMs: number): Refusal {
  return new Refusal(408, `The request body did not arrive within ${timeoutMs / 1000} seconds`, {
    kind: "invalid",
    reason: "slow_body",
  });
}

/** SDKs keep what a 503 refuses, and send it again to the process that comes after this one. */
function isStopping(): Refusal {
  return new Refusal(503, "Watchpost is stopping: send this again", {
    kind: "refused",
    reason: "stopping",
  }, { "retry-after": "5" });
}
