import { createHash } from "node:crypto";

/**
 * An id for a record that brings none: the same again when the same request is stored a second time, so that
 * replays store nothing twice.
 *
 * @param requestId `DecodeContext.requestId`
 * @param parts what tells the records of one request apart, such as `log` and an index
 * @returns 32 lower-case hex digits
 */
export function recordId(requestId: string, ...parts: readonly (string | number)[]): string {
  return createHash("md5").update([requestId, ...parts].join("/")).digest("hex");
}
