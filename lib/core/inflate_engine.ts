import { constants, createGunzip, type Gunzip, type ZlibOptions } from "node:zlib";
import { type KeptEngine, keptEngine } from "./kept_engine.ts";

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

/**
 * Of one body. Clients send one, joined logs have some thousands; Go's reader, for instance, takes any number. Each costs
 * 2 to 4 µs in a Worker, and one of nothing has 20 bytes: without a limit 7 MB hold an isolate up for a second.
 */
export const MAX_GZIP_MEMBERS = 10_000;
const MEMBER_BYTES = 20;

/** A body has more gzip members than any that is taken. */
export class TooManyMembers extends Error {
  override readonly name = "TooManyMembers";
}

/**
 * Unpacks gzip, of several members in a row as well.
 *
 * @throws {TooManyMembers} before any of them is unpacked
 * @throws {Error} as `runEngine()`
 */
export function gunzip(bytes: Uint8Array, options: ZlibOptions): Uint8Array {
  if (hasTooManyMembers(bytes)) throw new TooManyMembers("Too many gzip members");
  return gunzipKept(bytes, options.maxOutputLength) ??
    runEngine(createGunzip(options), bytes, constants.Z_FINISH).output;
}

/** Of a request that is not decoded apart; of what it unfolds to. */
const KEPT_BYTES = 256 * 1024;

/** Null before the first use, and after a body that was not as it should be. */
let kept: { readonly stream: Gunzip; readonly engine: KeptEngine } | null = null;
let output: Uint8Array | null = null;

/** Unpacks what is small, and is as its last bytes say. @returns null for all else, whatever is the matter with it */
function gunzipKept(bytes: Uint8Array, maxOutputLength = Infinity): Uint8Array | null {
  if (bytes.length < MEMBER_BYTES || bytes.length > KEPT_BYTES) return null;
  const size = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4).getUint32(0, true);
  if (size >= KEPT_BYTES || size > maxOutputLength) return null;
  kept ??= newKept();
  output ??= new Uint8Array(KEPT_BYTES);
  const length = kept?.engine.run(bytes, constants.Z_FINISH, output);
  if (length === size) return output.slice(0, size);
  // Not used again, whatever has become of it.
  kept?.stream.close();
  kept = null;
  return null;
}

function newKept(): typeof kept {
  const stream = createGunzip();
  const engine = keptEngine(stream);
  if (engine !== null) return { stream, engine };
  stream.close();
  return null;
}

/**
 * Whether gzip data may have more than so many members, by the beginnings of such. Those of files within that are
 * gzip themselves count as well where they lie there as they are: nobody sends so many.
 */
export function hasTooManyMembers(bytes: Uint8Array): boolean {
  if (bytes.length < MAX_GZIP_MEMBERS * MEMBER_BYTES || !beginsMember(bytes, 0)) return false;
  let members = 0;
  for (let at = 0; at !== -1; at = bytes.indexOf(0x1f, at + 1)) {
    if (beginsMember(bytes, at) && ++members > MAX_GZIP_MEMBERS) return true;
  }
  return false;
}

function beginsMember(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8;
}
