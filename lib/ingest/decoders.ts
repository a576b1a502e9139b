import { Worker } from "node:worker_threads";
import { Refusal } from "../core/refusal.ts";
import type { Batch } from "../records/mod.ts";
import { fromCrossing, toView } from "./crossing.ts";
import type { DecodeJob, DecodeResult, SentJob } from "./decode_worker.ts";
import type { AnyProtocol } from "./protocol.ts";
import type { Received } from "./receive.ts";

/** Unpacked bytes from which on a body is decoded apart: on one core that takes some 10 ms, and what comes back 2. */
const LARGE_BYTES = 256_000;
/** From here on a body waits for the Worker to begin, some 200 ms: decoded where it came it would hold that up for longer. */
const HUGE_BYTES = 2_000_000;
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
/** A Worker that cannot begin by then is given up: bodies are decoded where they came. */
const START_LIMIT_MS = 10_000;
/** A Worker that has nothing to do for so long goes, with its memory. */
const IDLE_MS = 30_000;

/** Of metrics, whose series have methods; of files, which are only cut out of the body. */
const NEVER_APART: ReadonlySet<string> = new Set(["trace_metric", "attachment"]);

/** Whether a body is better decoded apart, of a protocol whose records are plain data and need nothing but the body. */
export function isLarge(received: Received, protocol: AnyProtocol): boolean {
  return !protocol.usesFamilies && !NEVER_APART.has(protocol.category) &&
    unpackedBytes(received) >= LARGE_BYTES;
}

/** As far as it can be told from outside: gzip ends with it. */
function unpackedBytes({ body, encoding: sent }: Pick<Received, "body" | "encoding">): number {
  const encoding = sent.trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return body.length;
  if (encoding !== "gzip" || body.length < 4) return body.length * USUAL_RATIO;
  const end = new DataView(body.buffer, body.byteOffset + body.length - 4);
  return end.getUint32(0, true);
}

const WORKER = new URL("./decode_worker.ts", import.meta.url);

type Settle = Pick<PromiseWithResolvers<Batch | null>, "resolve" | "reject">;

/** A body that waits for the Worker, or that it works on. */
interface Pending extends Settle {
  readonly job: DecodeJob;
  /** Whether it is decoded in a Worker whenever that can be, however long it waits. */
  readonly isPatient: boolean;
  /** What a Worker said that has ended over it; undefined: none has. */
  readonly ended?: WorkerEnded;
}

interface DecoderOptions {
  /** Entry of the Worker. */
  readonly url?: URL;
  /** How long one body may take, in milliseconds. */
  readonly limitMs?: number;
  /** How much memory the objects of one body may take, in megabytes. */
  readonly heapMb?: number;
}

/** Worker after Worker has ended by itself over a body: that is a bug of ours, or of what we stand on. */
export class WorkerEnded extends Error {
  override readonly name = "WorkerEnded";

  /** @param cause what the Worker said, if it did */
  constructor(cause: unknown) {
    super("A Worker has ended over a request", { cause });
    // Where it failed there.
    if (cause instanceof Error && cause.stack !== undefined) this.stack = cause.stack;
  }
}

/** One Worker that decodes, started when it is first wanted. */
export class Decoder {
  readonly #url: URL;
  readonly #limitMs: number;
  readonly #heapMb: number;
  #worker: Worker | null = null;
  #isReady = false;
  /** What the Worker has: never more than one, so that it is known over which of them it ends. */
  #current: Pending | null = null;
  #waiting: Pending[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ url = WORKER, limitMs = LIMIT_MS, heapMb = HEAP_MB }: DecoderOptions = {}) {
    this.#url = url;
    this.#limitMs = limitMs;
    this.#heapMb = heapMb;
  }

  /** Whether the Worker runs; the first body that wants it starts it, and is decoded where it came unless it is huge. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Decodes a body. One over which the Worker ends has another to itself before it is given up.
   *
   * @returns null when it is to be decoded where it came: too much waits, or it has what cannot cross
   * @throws {Refusal} as `inflate()` and protocols do; 413 for a body that takes too long or too much memory
   * @throws {WorkerEnded} for a body that must not be decoded where it came either
   */
  decode(job: DecodeJob): Promise<Batch | null> {
    this.#start();
    const waits = this.#isReady || unpackedBytes(job) >= HUGE_BYTES;
    if (waits && this.#waiting.length < MAX_WAITING) return this.#add(job, false);
    return Promise.resolve(null);
  }

  /**
   * Decodes a body that nobody waits for, however long that takes: it may be one over which a Worker has ended before.
   *
   * @returns null when it has what cannot cross, or there is no Worker
   * @throws as `decode()`
   */
  decodePatiently(job: DecodeJob): Promise<Batch | null> {
    this.#start();
    return this.#add(job, true);
  }

  /** Ends the Worker, whatever it does; what it had is to be decoded where it came. */
  close(): void {
    this.#stop();
    const left = this.#current === null ? this.#waiting : [this.#current, ...this.#waiting];
    this.#current = null;
    this.#waiting = [];
    for (const pending of left) giveUp(pending);
  }

  #add(job: DecodeJob, isPatient: boolean): Promise<Batch | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, isPatient, resolve, reject });
      this.#next();
    });
  }

  #start(): void {
    if (this.#worker !== null) return;
    const worker = new Worker(this.#url, {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
    });
    this.#worker = worker;
    let said: unknown;
    worker.on("message", (data: DecodeResult | "ready") => {
      if (worker !== this.#worker) return;
      if (data === "ready") this.#isReady = true;
      else this.#finish(data);
      this.#next();
    });
    // Without this the error would end the whole process.
    worker.on("error", (error) => said = error);
    worker.on("exit", () => {
      if (worker === this.#worker) this.#replace(new WorkerEnded(said));
    });
    worker.postMessage("ready?");
    this.#after(START_LIMIT_MS, () => this.#replace(new WorkerEnded(undefined)));
  }

  /** Gives the Worker what waits, once it has nothing else. */
  #next(): void {
    if (!this.#isReady || this.#current !== null) return;
    this.#current = this.#waiting.shift() ?? null;
    if (this.#current === null) return this.#after(IDLE_MS, () => this.close());
    const { body, ...job } = this.#current.job;
    const sent: SentJob = { ...job, body: toView(body) };
    this.#worker?.postMessage(sent);
    this.#after(this.#limitMs, () => this.#interrupt());
  }

  #finish(result: DecodeResult): void {
    const pending = this.#current;
    this.#current = null;
    if (result.kind === "decoded") pending?.resolve(fromCrossing(result.batch));
    else if (result.kind === "unsuited") pending?.resolve(null);
    else {
      const { status, detail, outcome, headers } = result.refusal;
      pending?.reject(new Refusal(status, detail, outcome, headers));
    }
  }

  /**
   * Goes on without this Worker. What it worked on may be at fault or not: it is tried first by the next one, and given up
   * when that has ended as well.
   */
  #replace(ended: WorkerEnded): void {
    const [suspect, couldStart, left] = [this.#current, this.#isReady, this.#waiting];
    this.#current = null;
    this.#waiting = [];
    this.#stop();
    if (suspect !== null) {
      if (suspect.ended === undefined) this.#waiting.push({ ...suspect, ended });
      else suspect.reject(ended);
    }
    for (const pending of left) {
      if (pending.isPatient && couldStart) this.#waiting.push(pending);
      else giveUp(pending);
    }
    if (this.#waiting.length > 0) this.#start();
  }

  /** The body that it works on is made to take so long. */
  #interrupt(): void {
    this.#current?.reject(tooCostly());
    this.#current = null;
    this.#replace(new WorkerEnded(undefined));
  }

  #stop(): void {
    clearTimeout(this.#timer);
    void this.#worker?.terminate();
    this.#worker = null;
    this.#isReady = false;
  }

  /** In place of what was to be done before. */
  #after(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
    Deno.unrefTimer(this.#timer);
  }
}

/** Leaves a body to be decoded where it came, if that is safe. */
function giveUp({ resolve, reject, ended }: Pending): void {
  if (ended === undefined) resolve(null);
  else reject(ended);
}

const TOO_COSTLY = "The request body takes too long or too much memory to read: send less at once";

/** Whether this is the answer to a body that has cost a Worker. */
export function hasCostWorker({ detail }: Refusal): boolean {
  return detail === TOO_COSTLY;
}

function tooCostly(): Refusal {
  return new Refusal(413, TOO_COSTLY, { kind: "too_large", reason: "decoded_body" });
}
