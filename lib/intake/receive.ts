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

export interface BodyLimits {
  /** Bytes of the body as sent. */
  readonly maxBytes: number;
  /** @default {BODY_TIMEOUT_MS} */
  readonly timeoutMs?: number;
}

/** A request's body: read and decompressed once, when somebody first asks for it. */
export class Body {
  #received: Promise<Uint8Array> | null = null;
  #decoded: Uint8Array | null = null;

  constructor(private readonly req: Request, private readonly limits: BodyLimits) {}

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
    this.#decoded ??= inflate(body, encoding, decodedLimit(this.limits.maxBytes));
    return this.#decoded;
  }
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
  if (Number(req.headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
  if (req.body === null) return new Uint8Array(0);

  const reader = req.body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, timeoutMs);
  const bytes = await readUpTo(maxBytes, reader).finally(() => clearTimeout(timer));
  // A cancelled reader looks like the end of the body.
  if (isLate) throw tooSlow(timeoutMs);
  return bytes;
}

async function readUpTo(
  maxBytes: number,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(toAborted);
    if (done) return joinBytes(chunks);
    total += value.length;
    if (total > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
}

/** The client went away in mid-body: nobody hears the answer, but it is counted and not logged. */
function toAborted(): never {
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
