import { fsyncSync } from "node:fs";
import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { flush } from "./flush.ts";

/**
 * Start parameters that make a commit wait for the disk. PGlite's defaults switch fsync off (`-F`), and of
 * the ways to flush the log only plain `fsync` reaches our hook: its `fdatasync` does nothing.
 *
 * @param defaults `PGlite.defaultStartParams`
 */
export function durableStartParams(defaults: readonly string[]): string[] {
  return [...defaults.filter((param) => param !== "-F"), "-c", "wal_sync_method=fsync"];
}

/** The parts of Emscripten's file system that the hook touches. */
interface EmscriptenFiles {
  readonly FS: { readonly filesystems: { readonly NODEFS: NodeFiles } };
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
    const addFsync = (module: unknown) => {
      const files = (module as EmscriptenFiles).FS.filesystems.NODEFS;
      files.stream_ops.fsync = (stream) => flushStream(files, stream);
    };
    const preRun = [...[emscriptenOpts.preRun ?? []].flat(), addFsync];
    return { emscriptenOpts: { ...emscriptenOpts, preRun, onAbort: this.#onAbort } };
  }
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
