import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { fsyncSync } from "node:fs";
import { flush } from "./host.ts";

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

  /**
   * @param dir the data directory
   * @param onAbort called when the engine died (a PANIC): it must not be used any more
   */
  constructor(dir: string, onAbort: () => void) {
    super(dir);
    this.#onAbort = onAbort;
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
    return { emscriptenOpts: { ...emscriptenOpts, preRun, onAbort } };
  }
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
