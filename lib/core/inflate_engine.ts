import type { Gunzip } from "node:zlib";

/** An engine of `node:zlib`, as `createGunzip()` makes one. */
export type InflateEngine = Pick<Gunzip, "on" | "close" | "bytesWritten">;

/** What `gunzipSync()` and its kind are made of themselves; types do not know it. */
interface Processing {
  _processChunk(chunk: Uint8Array, flush: number): Uint8Array;
}

/**
 * Runs an engine over a whole body, and closes it. `gunzipSync()` and its kind would do, but they close theirs
 * only when all goes well: each damaged zstd body would cost 20 KB for good, a damaged gzip body 1 KB.
 *
 * @param flush how the input ends, as `constants.Z_FINISH`
 * @returns all that comes out, and how many bytes of the input it took
 * @throws {Error} what the engine does, with its `code`: damaged or cut short, larger than `maxOutputLength`
 */
export function runEngine(
  engine: InflateEngine,
  bytes: Uint8Array,
  flush: number,
): { output: Uint8Array; taken: number } {
  // What goes wrong is thrown below as well.
  engine.on("error", () => {});
  try {
    const output = (engine as unknown as Processing)._processChunk(bytes, flush);
    return { output, taken: engine.bytesWritten };
  } finally {
    engine.close();
  }
}
