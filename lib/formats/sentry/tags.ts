import { clip, clippedName } from "../fields.ts";
import { COUNT, TEXT } from "../limits.ts";
import type { Pair } from "./normalized_event.ts";
import { readPairs } from "./pairs.ts";

/** Names that columns of the event answer for; a client's tag of that name is dropped, as Sentry does. */
const RESERVED = new Set([
  "release",
  "dist",
  "user",
  "filename",
  "function",
  "level",
  "transaction",
]);

/**
 * The client's tags: one line each, blanks in keys as `-` so that `key:value` can be searched, the first of
 * each key, and no reserved ones.
 */
export function normalizeTags(value: unknown): Pair[] {
  const tags = new Map<string, string>();
  // A value that is cut here is cut again below: the first cut only bounds the work of the second.
  for (const [name, text] of readPairs(value, 2 * TEXT.name)) {
    const key = clip(clippedName(name, TEXT.name)?.replace(/\s+/g, "-"), TEXT.name);
    const line = clippedName(text, TEXT.name);
    if (!key || !line || RESERVED.has(key) || tags.has(key)) continue;
    if (tags.size === COUNT.clientTags) break;
    tags.set(key, line);
  }
  return [...tags];
}
