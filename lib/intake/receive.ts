import { inflate } from "./inflate.ts";
import { joinBytes } from "./join_bytes.ts";
import { Refusal } from "./refusal.ts";

/** A phone on a bad line sends 1 MB in about 20 s; whoever takes longer only holds a connection. */
export const BODY_TIMEOUT_MS = 30_000;

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
}

/** A request's body: read and decompressed once, when somebody first asks for it. */
export class Body {
  #received: Promise<Uint8Array> | null = null;
  #decoded: Uint8Array | null = null;

  constructor(private readonly req: Request, private readonly limits: BodyLimits & BodySize) {}

  /** The bytes as sent, and their `Content-Encoding`. @throws {Refusal} as `readBody()` */
  async asReceived(): Promise<{ body: Uint8Array; encoding: string }> {
    this.#received ??= readBody(this.req, this.limits);
    return {
      body: await this.#received,
      encoding: this.req.headers.get("content-encoding") ?? "",
    };
  }

  /** The decompressed bytes. @throws {Refusal} as `readBody()` and `inflate()` */
  async decoded(): Promise<Uint8Array> {
    const { body, encoding } = await this.asReceived();
    this.#decoded ??= inflate(body, encoding, this.limits.maxDecodedBytes);
    return this.#decoded;
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
 * too slow; 400 when it goes away
 */
export async function readBody(
  req: Request,
  { maxBytes, timeoutMs = BODY_TIMEOUT_MS }: BodyLimits,
): Promise<Uint8Array> {
  const announced = req.headers.get("content-length");
  if (Number(announced) > maxBytes) throw tooLarge(maxBytes);

  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs);
  // The server gives no more than was announced; reading that at once costs a third of reading chunks.
  const isAnnounced = announced !== null && /^\d+$/.test(announced);
  // Not even a look at `req.body`, which alone turns the body into a stream.
  const reading = isAnnounced ? req.bytes() : readChunks(req, maxBytes, late);
  try {
    return await Promise.race([reading.catch(toAborted), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readChunks(
  { body }: Request,
  maxBytes: number,
  late: Promise<never>,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0);
  const reader = body.getReader();
  const cancel = () => reader.cancel().catch(() => {});
  late.catch(cancel);
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joinBytes(chunks);
    total += value.length;
    if (total > maxBytes) {
      cancel();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
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
