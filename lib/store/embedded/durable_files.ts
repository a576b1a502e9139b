import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { fsyncSync } from "node:fs";
import { flush } from "./host.ts";
import { MAX_PAGES, type SharedEngine, shareEngine } from "./interrupt.ts";

/**
 * Start parameters that make a commit wait for the disk. PGlite's defaults switch fsync off (`-F`), and of
 * the ways to flush the log only plain `fsync` reaches our hook: its `fdatasync` does nothing.
 *
 * @param defaults `PGlite.defaultStartParams`
 */
export function durableStartParams(defaults: readonly string[]): string[] {
  return [...defaults.filter((param) => param !== "-F"), "-c", "wal_sync_method=fsync"];
}

/** The parts of Emscripten's module that the hooks touch. */
interface EmscriptenModule {
  readonly FS: { readonly filesystems: { readonly NODEFS: NodeFiles } };
  stackRestore(): void;
  _PostgresSendReadyForQueryIfNecessary(): void;
  _pgl_pq_flush(): void;
}

interface NodeFiles {
  readonly stream_ops: { fsync?: (stream: FileStream) => number };
  realPath(node: unknown): string;
}

interface FileStream {
  readonly node: unknown;
  /** Descriptor of the host; directories have none. */
  readonly nfd?: number;
}

/** A folder of the host as Postgres' data directory, whose files really are flushed when Postgres asks. */
export class DurableFiles extends NodeFS {
  readonly #onAbort: () => void;
  readonly #onShared: ((engine: SharedEngine | null) => void) | null;

  /**
   * @param dir the data directory
   * @param onAbort called when the engine died (a PANIC): it must not be used any more
   * @param onShared where the engine takes a shared memory: called before it starts
   */
  constructor(
    dir: string,
    onAbort: () => void,
    onShared: ((engine: SharedEngine | null) => void) | null = null,
  ) {
    super(dir);
    this.#onAbort = onAbort;
    this.#onShared = onShared;
  }

  override async init(
    pg: PGlite,
    options: Parameters<NodeFS["init"]>[1],
  ): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pg, options);
    let engine: EmscriptenModule | undefined;
    const addFsync = (module: unknown) => {
      engine = module as EmscriptenModule;
      const files = engine.FS.filesystems.NODEFS;
      files.stream_ops.fsync = (stream) => flushStream(files, stream);
    };
    const onAbort = () => {
      if (engine !== undefined) endLoop(engine);
      this.#onAbort();
    };
    const preRun = [...[emscriptenOpts.preRun ?? []].flat(), addFsync];
    const hooked = { ...emscriptenOpts, preRun, onAbort };
    return { emscriptenOpts: this.#onShared ? withSharedMemory(hooked, this.#onShared) : hooked };
  }
}

type EmscriptenOptions = Awaited<ReturnType<NodeFS["init"]>>["emscriptenOpts"];
type Done = (instance: WebAssembly.Instance, module: WebAssembly.Module) => unknown;

const PAGE_BYTES = 65_536;

function withSharedMemory(
  options: EmscriptenOptions,
  onShared: (engine: SharedEngine | null) => void,
): EmscriptenOptions {
  const { wasmMemory, instantiateWasm } = options;
  if (wasmMemory === undefined || instantiateWasm === undefined) return options;
  const memory = new WebAssembly.Memory({
    initial: wasmMemory.buffer.byteLength / PAGE_BYTES,
    maximum: MAX_PAGES,
    shared: true,
  });
  return {
    ...options,
    wasmMemory: memory,
    instantiateWasm(imports: WebAssembly.Imports, done: Done) {
      const start: Done = (instance, module) => {
        onShared(shareEngine(memory, instance.exports));
        return done(instance, module);
      };
      return instantiateWasm(imports, start);
    },
  };
}

/**
 * PGlite enters the engine again after any error, until it has read all that a client sent: a dead one never will,
 * and its thread would turn for ever, with the sockets of its clients open.
 */
function endLoop(engine: EmscriptenModule): void {
  engine.stackRestore = () => {
    throw new Error("The engine died");
  };
  engine._PostgresSendReadyForQueryIfNecessary = () => {};
  engine._pgl_pq_flush = () => {};
}

/** Error number for "I/O error" in Emscripten's libc. */
const EIO = 29;

function flushStream(files: NodeFiles, stream: FileStream): number {
  try {
    if (stream.nfd === undefined) flush(files.realPath(stream.node));
    else fsyncSync(stream.nfd);
    return 0;
  } catch {
    return EIO;
  }
}
