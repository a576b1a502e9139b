/** What a minified file says of its source map. */
import { Buffer } from "node:buffer";
import { normalDebugId } from "../artifacts/debug_ids.ts";
import { BadMap } from "./problems.ts";

export interface Inspection {
  /** As the file has it, without query and fragment; null for none, and when the map is inside. */
  readonly reference: string | null;
  /** The map is inside the file, as a `data:` URL. */
  readonly isInline: boolean;
  /** 32 lower-case hex digits, or null. */
  readonly debugId: string | null;
}

const REFERENCE = /(?:\/\/|\/\*)[#@] ?sourceMappingURL=(\S+)(?:\s*\*\/)?\s*$/;
const DEBUG_ID = /\/\/# ?debugId=(\S+)\s*$/;

/** The last comments of their kind count. @param bytes UTF-8 */
export function inspectFile(bytes: Uint8Array): Inspection {
  const url = lastComment(bytes, "sourceMappingURL=", REFERENCE);
  const isInline = url?.startsWith("data:") ?? false;
  const id = lastComment(bytes, "debugId=", DEBUG_ID);
  return {
    reference: url === null || isInline ? null : url.replace(/[?#].*$/, ""),
    isInline,
    debugId: id === null ? null : normalDebugId(id),
  };
}

/** The map inside a minified file. @throws {BadMap} when there is none that can be read */
export function mapInside(bytes: Uint8Array): Uint8Array {
  const url = lastComment(bytes, "sourceMappingURL=", REFERENCE) ?? "";
  const comma = url.indexOf(",");
  if (!url.startsWith("data:") || comma < 0) {
    throw new BadMap("The minified file has no source map inside.");
  }
  const data = url.slice(comma + 1);
  if (/;base64$/i.test(url.slice(0, comma))) return Buffer.from(data, "base64");
  try {
    return Buffer.from(decodeURIComponent(data));
  } catch {
    throw new BadMap("The source map inside the minified file cannot be decoded.");
  }
}

const LINE_BREAK = 0x0a;
/** Looked at from the end: behind them stands nothing but other comments. */
const MAX_MENTIONS = 20;

/** The argument of the last line that ends in such a comment; minified code before it may mention the same words. */
function lastComment(bytes: Uint8Array, word: string, comment: RegExp): string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = buffer.lastIndexOf(word);
  for (let mentions = 0; at >= 0 && mentions < MAX_MENTIONS; mentions++) {
    const start = buffer.lastIndexOf(LINE_BREAK, at) + 1;
    const end = buffer.indexOf(LINE_BREAK, at);
    const line = buffer.toString("utf8", Math.max(start, at - 200), end < 0 ? buffer.length : end);
    const found = comment.exec(line)?.[1];
    if (found !== undefined) return found.replace(/\*\/$/, "");
    if (at === 0) break;
    at = buffer.lastIndexOf(word, at - 1);
  }
  return null;
}
