/**
 * Ends statements of the embedded Postgres that take too long. Its thread is inside the engine then and hears nothing,
 * so the engine's memory is shared, and another thread sets in it what a signal would set in a server.
 */

/** What the thread of the engine shares with the one that interrupts it. */
export interface SharedEngine {
  readonly memory: SharedArrayBuffer;
  /** Where the engine looks whether something is to be looked at, and whether it is this. */
  readonly addresses: { readonly interruptPending: number; readonly cancelPending: number };
  /** Of three numbers: the statement that runs, the one that was cancelled, and its limit. */
  readonly state: SharedArrayBuffer;
}

const RUNNING = 0;
const CANCELLED = 1;
const LIMIT_MS = 2;

/** The engine's exports that matter here. */
interface EngineExports {
  readonly InterruptPending?: WebAssembly.Global;
  readonly QueryCancelPending?: WebAssembly.Global;
}

/** Null for an engine that does not tell where its flags are: then statements take what they take. */
export function shareEngine(
  memory: WebAssembly.Memory,
  { InterruptPending, QueryCancelPending }: EngineExports,
): SharedEngine | null {
  const { buffer } = memory;
  if (!(buffer instanceof SharedArrayBuffer)) return null;
  if (InterruptPending === undefined || QueryCancelPending === undefined) return null;
  return {
    memory: buffer,
    addresses: {
      interruptPending: InterruptPending.value,
      cancelPending: QueryCancelPending.value,
    },
    state: new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT),
  };
}

const LAST_NUMBER = 2 ** 30;

/** In the thread of the engine: tells what runs, and for how long it may. */
export class Limiter {
  readonly #state: Int32Array;
  readonly #cancelPending: Int32Array;
  #number = 0;

  constructor(engine: SharedEngine) {
    this.#state = new Int32Array(engine.state);
    this.#cancelPending = new Int32Array(engine.memory, engine.addresses.cancelPending, 1);
  }

  /** Runs statements, which are cancelled when they take longer. */
  async run<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    this.#number = this.#number % LAST_NUMBER + 1;
    Atomics.store(this.#state, LIMIT_MS, limitMs);
    Atomics.store(this.#state, RUNNING, this.#number);
    try {
      return await work();
    } finally {
      const isBeingCancelled = Atomics.exchange(this.#state, RUNNING, 0) < 0;
      // The other thread is between two stores: what it sets must not meet the next statement.
      while (isBeingCancelled && Atomics.load(this.#state, CANCELLED) !== this.#number);
      this.#cancelPending[0] = 0;
    }
  }
}

const LOOK_EVERY_MS = 100;

/**
 * In another thread: looks at what the engine runs, and cancels what takes too long.
 *
 * @returns ends the watch
 */
export function watchEngine(engine: SharedEngine): () => void {
  const state = new Int32Array(engine.state);
  const { interruptPending, cancelPending } = engine.addresses;
  const flag = (address: number) => new Int32Array(engine.memory, address, 1);
  let seen = { number: 0, at: 0 };
  const timer = setInterval(() => {
    const number = Atomics.load(state, RUNNING);
    if (number <= 0) return;
    if (number !== seen.number) seen = { number, at: performance.now() };
    if (performance.now() - seen.at < Atomics.load(state, LIMIT_MS)) return;
    // From here on until it is told what was done, the engine begins no other statement.
    if (Atomics.compareExchange(state, RUNNING, number, -number) !== number) return;
    Atomics.store(flag(cancelPending), 0, 1);
    Atomics.store(flag(interruptPending), 0, 1);
    Atomics.store(state, CANCELLED, number);
  }, LOOK_EVERY_MS);
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}

const IMPORTS = 2;
const MAGIC_BYTES = 8;
const HAS_MAXIMUM = 1;
const IS_SHARED = 2;
/** Pages of the largest memory that such modules are made for: 2 GB. */
export const MAX_PAGES = 32_768;

/**
 * Lets a module of WebAssembly take a memory that is shared, in place of one that is not: by a word in its list of
 * imports. Format: https://webassembly.github.io/spec/core/binary/modules.html#import-section
 *
 * @returns another module; null when this one imports no memory
 */
export function takeSharedMemory(wasm: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const reader = new WasmReader(wasm, MAGIC_BYTES);
  while (reader.at < wasm.length) {
    const sectionAt = reader.at;
    const section = reader.byte();
    const end = reader.number() + reader.at;
    const contentAt = reader.at;
    const limits = section === IMPORTS ? reader.memoryLimits() : null;
    if (limits !== null) {
      const content = [
        wasm.subarray(contentAt, limits.start),
        [HAS_MAXIMUM | IS_SHARED],
        leb128(limits.minimum),
        leb128(MAX_PAGES),
        wasm.subarray(limits.end, end),
      ];
      const length = content.reduce((sum, part) => sum + part.length, 0);
      return joined([
        wasm.subarray(0, sectionAt),
        [IMPORTS],
        leb128(length),
        ...content,
        wasm.subarray(end),
      ]);
    }
    reader.at = end;
  }
  return null;
}

class WasmReader {
  constructor(private readonly wasm: Uint8Array, public at: number) {}

  byte(): number {
    return this.wasm[this.at++] ?? 0;
  }

  number(): number {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  /** Of the memory among the imports that begin here. */
  memoryLimits() {
    for (let left = this.number(); left > 0; left--) {
      for (const _ of ["module", "name"]) this.at = this.number() + this.at;
      const kind = this.byte();
      if (kind === 0) this.number();
      else if (kind === 3) this.at += 2;
      else if (kind === 4) {
        this.byte();
        this.number();
      } else {
        if (kind === 1) this.byte();
        const start = this.at;
        const flags = this.byte();
        const minimum = this.number();
        if (flags & HAS_MAXIMUM) this.number();
        if (kind === 2) return { start, minimum, end: this.at };
      }
    }
    return null;
  }
}

function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [value & 0x7f | 0x80, ...leb128(value >>> 7)];
}

function joined(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Makes `new WebAssembly.Module()` let all that is loaded later, such as libraries, take a shared memory. */
export function shareLibraries(scope: { WebAssembly: typeof WebAssembly }): void {
  const Original = scope.WebAssembly.Module;
  scope.WebAssembly.Module = new Proxy(Original, {
    construct(target, [bytes]: [BufferSource]) {
      const view = ArrayBuffer.isView(bytes)
        ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : new Uint8Array(bytes);
      return new target(takeSharedMemory(view) ?? bytes);
    },
  });
}
