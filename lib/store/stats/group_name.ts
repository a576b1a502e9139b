import { createHash } from "node:crypto";
import { storable } from "../../core/storable.ts";

/** What an index row can hold. */
const MAX_LENGTH = 200;
const HASH_LENGTH = 8;

/**
 * The name that a group of spans is counted by: the group itself, or where it is too long its beginning with a hash of
 * the whole, so that statements which only begin alike stay apart. A name that was made here stays as it is.
 */
export function groupName(group: string): string {
  const text = storable(group);
  if (text.length <= MAX_LENGTH) return text.toWellFormed();
  const hash = createHash("md5").update(text).digest("hex").slice(0, HASH_LENGTH);
  const start = text.slice(0, MAX_LENGTH - HASH_LENGTH - 2).toWellFormed();
  return `${start}… ${hash}`;
}
