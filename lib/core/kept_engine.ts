/**
 * Streams of `node:zlib` that are used again and again. Its own functions for bytes make one for each call, which takes two
 * to three times as long as the few kilobytes of a request do.
 */
import type { Gunzip } from "node:zlib";

/** A stream of gzip or zstd, as `node:zlib` makes one. */
type Stream = Pick<Gunzip, "on" | "destroyed">;

/** What `node:zlib` calls for a stream; types do not know it. */
interface Handle {
  /** After it is closed this ends the process. */
  reset(): void;
  writeSync(flush: number, ...inAndOut: readonly (Uint8Array | number)[]): void;
}

/** An engine for one whole input after the other. */
export interface KeptEngine {
  /**
   * Runs over a whole input, whatever came before it. One that is not as it should be may end the engine.
   *
   * @param flush how the input ends, as `constants.Z_FINISH`
   * @returns how many bytes of the output are written; null where not all of the input was taken, the output is full, or
   * the engine has ended before
   */
  run(bytes: Uint8Array, flush: number, output: Uint8Array): number | null;
}

/**
 * Keeps a stream that nothing was written to.
 *
 * @returns null when its insides are not as expected
 */
export function keptEngine(stream: Stream): KeptEngine | null {
  // What goes wrong is seen below as well.
  stream.on("error", () => {});
  const handle: unknown = Reflect.get(stream, "_handle");
  /** How much of the output is free, and how much of the input is left. */
  const state: unknown = Reflect.get(stream, "_writeState");
  if (!isHandle(handle) || !(state instanceof Uint32Array)) return null;
  return {
    run(bytes, flush, output) {
      // A stream that something went wrong with is destroyed first, and closes its handle then.
      if (stream.destroyed || Reflect.get(stream, "_handle") !== handle) return null;
      handle.reset();
      [state[0], state[1]] = [0, bytes.length];
      handle.writeSync(flush, bytes, 0, bytes.length, output, 0, output.length);
      const [free = 0, left = 0] = state;
      return free > 0 && left === 0 && !stream.destroyed ? output.length - free : null;
    },
  };
}

function isHandle(value: unknown): value is Handle {
  return typeof value === "object" && value !== null &&
    ["reset", "writeSync"].every((name) => typeof Reflect.get(value, name) === "function");
}
