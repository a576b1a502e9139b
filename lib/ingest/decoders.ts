import { Worker } from "node:worker_threads";
import { Refusal } from "../core/refusal.ts";
import type { Batch } from "../records/mod.ts";
import type { DecodeJob, DecodeResult } from "./decode_worker.ts";
import type { AnyProtocol } from "./protocol.ts";
import type { Received } from "./receive.ts";

/** Unpacked bytes from which on a body is decoded apart: on one core that takes some 10 ms, and what comes back 2. */
const LARGE_BYTES = 256_000;
/** What a body unfolds to, where it does not say so itself. */
const USUAL_RATIO = 6;
/** Bodies that wait for one Worker; more are decoded where they came. */
const MAX_WAITING = 8;
/** Nobody sends so much that decoding takes longer: it is made to. */
const LIMIT_MS = 10_000;
/**
 * For the objects that bodies unfold to, in megabytes. Where they need more the Worker stands still until its time is
 * over, and without this limit the whole process would end.
 */
const HEAP_MB = 512;
/** A Worker that has nothing to do for so long goes, with its memory. */
const IDLE_MS = 30_000;

/** Of metrics, whose series have methods; of files, which are only cut out of the body. */
const NEVER_APART: ReadonlySet<string> = new Set(["trace_metric", "attachment"]);

/** Whether a body is better decoded apart, of a protocol whose records are plain data and need nothing but the body. */
export function isLarge({ body, encoding }: Received, protocol: AnyProtocol): boolean {
  return !protocol.usesFamilies && !NEVER_APART.has(protocol.category) &&
    unpackedBytes(body, encoding.trim().toLowerCase()) >= LARGE_BYTES;
}

/** As far as it can be told from outside: gzip ends with it. */
function unpackedBytes(body: Uint8Array, encoding: string): number {
  if (encoding === "" || encoding === "identity") return body.length;
  if (encoding !== "gzip" || body.length < 4) return body.length * USUAL_RATIO;
  const end = new DataView(body.buffer, body.byteOffset + body.length - 4);
  return end.getUint32(0, true);
}

const WORKER = new URL("./decode_worker.ts", import.meta.url);

type Job = Omit<DecodeJob, "number">;

interface Pending {
  readonly job: DecodeJob;
  readonly resolve: (batch: Batch | null) => void;
  readonly reject: (refusal: Refusal) => void;
}

interface DecoderOptions {
  /** Entry of the Worker. */
  readonly url?: URL;
  /** How long one body may take, in milliseconds. */
  readonly limitMs?: number;
  /** How much memory the objects of one body may take, in megabytes. */
  readonly heapMb?: number;
}

/** One Worker that decodes, started when it is first wanted. */
export class Decoder {
  readonly #url: URL;
  readonly #limitMs: number;
  readonly #heapMb: number;
  #worker: Worker | null = null;
  #isReady = false;
  #number = 0;
  /** In the order in which it works on them. */
  readonly #pending = new Map<number, Pending>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ url = WORKER, limitMs = LIMIT_MS, heapMb = HEAP_MB }: DecoderOptions = {}) {
    this.#url = url;
    this.#limitMs = limitMs;
    this.#heapMb = heapMb;
  }

  /** Whether the Worker runs; the first body that wants it starts it, and is decoded where it came. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Decodes a body.
   *
   * @returns null when it is to be decoded where it came: too much waits, or it has what cannot cross
   * @throws {Refusal} as `inflate()` and protocols do; 413 for a body that takes too long or too much memory, 503 when the Worker fails
   */
  decode(job: Job): Promise<Batch | null> {
    if (!this.#isReady) {
      this.#start();
      return Promise.resolve(null);
    }
    if (this.#pending.size >= MAX_WAITING) return Promise.resolve(null);
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { job: { ...job, number }, resolve, reject });
      this.#worker?.postMessage({ ...job, number });
      if (this.#pending.size === 1) this.#wait();
    });
  }

  /** Ends the Worker, whatever it does; what it had is to be decoded where it came. */
  close(): void {
    clearTimeout(this.#timer);
    void this.#worker?.terminate();
    this.#worker = null;
    this.#isReady = false;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { resolve } of pending) resolve(null);
  }

  #start(): void {
    if (this.#worker !== null) return;
    const worker = new Worker(this.#url, {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
    });
    this.#worker = worker;
    worker.on("message", (data: DecodeResult | "ready") => {
      if (worker !== this.#worker) return;
      if (data === "ready") this.#isReady = true;
      else this.#finish(data);
      this.#wait();
    });
    // Without this the error would end the whole process.
    worker.on("error", () => {
      if (worker === this.#worker) this.#fail(crashed());
    });
    worker.postMessage("ready?");
  }

  #finish(result: DecodeResult): void {
    const pending = this.#pending.get(result.number);
    this.#pending.delete(result.number);
    if (result.kind === "decoded") pending?.resolve(result.batch);
    else if (result.kind === "unsuited") pending?.resolve(null);
    else {
      const { status, detail, outcome, headers } = result.refusal;
      pending?.reject(new Refusal(status, detail, outcome, headers));
    }
  }

  /** The body that it works on is at fault; a new Worker takes what comes next. */
  #fail(refusal: Refusal): void {
    const [first] = this.#pending;
    if (first !== undefined) {
      this.#pending.delete(first[0]);
      first[1].reject(refusal);
    }
    this.close();
  }

  /** For the end of what it works on, or for work. */
  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#pending.size > 0
      ? setTimeout(() => this.#fail(tooCostly()), this.#limitMs)
      : setTimeout(() => this.close(), IDLE_MS);
    Deno.unrefTimer(this.#timer);
  }
}

/** Of this isolate. */
const decoder = new Decoder();

/** Decodes a large body in a Worker; null when it must be decoded here. @throws {Refusal} */
export function decodeApart(job: Job): Promise<Batch | null> {
  return decoder.decode(job);
}

/** Ends the Worker of this isolate. */
export function closeDecoders(): void {
  decoder.close();
}

const TOO_COSTLY = "The request body takes too long or too much memory to read: send less at once";

/** Whether this is the answer to a body that has cost a Worker. */
export function hasCostWorker({ detail }: Refusal): boolean {
  return detail === TOO_COSTLY;
}

function tooCostly(): Refusal {
  return new Refusal(413, TOO_COSTLY, { kind: "too_large", reason: "decoded_body" });
}

function crashed(): Refusal {
  return new Refusal(503, "Watchpost could not read this request now", {
    kind: "refused",
    reason: "store_unavailable",
  }, { "retry-after": "10" });
}
