import { Refusal } from "./refusal.ts";
import { waitAtMost } from "./waiting.ts";

/** A phone on a bad line sends 1 MB in about 20 s; whoever takes longer only holds a connection. */
const BODY_TIMEOUT_MS = 30_000;

/**
 * A service that stops answers what has arrived this long after its signal; the drain takes three seconds more, in which
 * it is stored.
 */
const LAST_BODY_MS = 3_000;

export interface BodyLimits {
  /** Bytes as sent. */
  readonly maxBytes: number;
  /** @default {BODY_TIMEOUT_MS} */
  readonly timeoutMs?: number;
  /** Aborted when the service begins to stop: what is still missing `LAST_BODY_MS` later is to be sent again. */
  readonly stopping?: AbortSignal;
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
export interface BodyStart {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** @throws {Refusal} 408 when the client is too slow; 400 when it goes away; 503 when the service stops before */
export function readStart(
  req: Request,
  { maxBytes, timeoutMs = BODY_TIMEOUT_MS, stopping }: BodyLimits,
): Promise<BodyStart> {
  const announced = req.headers.get("content-length");
  // The server gives no more than was announced; reading that at once costs a third of reading chunks.
  const isAnnounced = announced !== null && /^\d+$/.test(announced) &&
    Number(announced) <= maxBytes;
  // Not even a look at `req.body`, which alone turns the body into a stream.
  const reader = isAnnounced ? undefined : req.body?.getReader();
  const reading = isAnnounced
    ? req.bytes().then((bytes) => ({ bytes, isWhole: true }))
    : readChunks(reader, maxBytes);
  return new Promise((resolve, reject) => {
    const refuse = (refusal: Refusal) => {
      end();
      cancel(reader);
      reject(refusal);
    };
    let leave = waitAtMost(timeoutMs, () => refuse(tooSlow(timeoutMs)));
    const hurry = () => {
      leave();
      leave = waitAtMost(Math.min(timeoutMs, LAST_BODY_MS), () => refuse(isStopping()));
    };
    const forget = stopping === undefined ? null : whenStopping(stopping, hurry);
    const end = () => {
      leave();
      forget?.();
    };
    reading.then((start) => {
      end();
      resolve(start);
    }, (error) => {
      end();
      reject(toAborted(error));
    });
  });
}

/** Whom each signal tells: one listener for all that read a body now. */
const hurried = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `hurry` when a service begins to stop, at once if it has begun. @returns for whoever need not know any more */
function whenStopping(stopping: AbortSignal, hurry: () => void): () => void {
  if (stopping.aborted) hurry();
  const known = hurried.get(stopping);
  const all = known ?? new Set();
  all.add(hurry);
  if (known === undefined) {
    hurried.set(stopping, all);
    stopping.addEventListener("abort", () => all.forEach((each) => each()), { once: true });
  }
  return () => void all.delete(hurry);
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

function cancel(reader: BodyReader | undefined): void {
  reader?.cancel().catch(() => {});
}

async function readChunks(reader: BodyReader | undefined, maxBytes: number): Promise<BodyStart> {
  if (reader === undefined) return { bytes: new Uint8Array(0), isWhole: true };
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joinBytes(chunks), isWhole: true };
    total += value.length;
    chunks.push(value);
    if (total > maxBytes) {
      cancel(reader);
      return { bytes: joinBytes(chunks).subarray(0, maxBytes), isWhole: false };
    }
  }
}

/** The client went away in mid-body: nobody hears the answer, but it is counted and not logged. */
function toAborted(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(400, "The request body ended early", {
    kind: "invalid",
    reason: "aborted_body",
  });
}

export function tooLarge(maxBytes: number): Refusal {
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

/**
 * Bytes of one request after decompression. 1 MB of compressed telemetry unfolds to 5-10 MB, and inflating
 * this much holds the thread for about 25 ms.
 */
export const MAX_DECODED_BYTES = 12_000_000;

/** Cap on a decompressed body where `maxBytes` is the one on the body as sent. */
export function decodedLimit(maxBytes: number): number {
  return Math.max(MAX_DECODED_BYTES, maxBytes);
}

/** One array out of pieces that follow each other; a single piece is returned as it is. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
