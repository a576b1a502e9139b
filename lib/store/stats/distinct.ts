/**
 * How many different texts there were, in few bytes: the smallest hashes of them. As long as they are few, the count is
 * exact; beyond, the largest hash that is kept tells how densely they lie (K minimum values, off by 6 % or so).
 *
 * As bytes, sets are merged by writing them one behind the other, which a store can do that knows nothing of them.
 */
import { createHash } from "node:crypto";

/** Hashes that are kept. */
const MOST = 256;
const HASH_BYTES = 5;
const HASHES = 2 ** (8 * HASH_BYTES);

/** The hash of a text: five bytes. */
export function distinctHash(text: string): Uint8Array {
  return createHash("md5").update(text).digest().subarray(0, HASH_BYTES);
}

/** The same set without repeats and without what is not needed: at most 1,280 bytes. */
export function compactDistinct(bytes: Uint8Array): Uint8Array {
  const kept = smallest(bytes);
  const compact = new Uint8Array(kept.length * HASH_BYTES);
  kept.forEach((hash, place) => {
    for (let byte = HASH_BYTES - 1, rest = hash; byte >= 0; byte--) {
      compact[place * HASH_BYTES + byte] = rest % 256;
      rest = Math.floor(rest / 256);
    }
  });
  return compact;
}

/** Sets and hashes one behind the other. */
export function joinedSets(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** How many different texts a set holds: exact below 256, else an estimate. */
export function distinctCount(bytes: Uint8Array): number {
  const kept = smallest(bytes);
  const largest = kept[MOST - 1];
  return largest === undefined ? kept.length : Math.round(((MOST - 1) * HASHES) / (largest + 1));
}

/** Beyond so many candidates the largest are dropped: sorting seldom is what makes this fast. */
const MOST_CANDIDATES = 8 * MOST;

function smallest(bytes: Uint8Array): number[] {
  const candidates = new Float64Array(
    Math.min(MOST_CANDIDATES, Math.floor(bytes.length / HASH_BYTES)),
  );
  let count = 0;
  let limit = Infinity;
  for (let at = 0; at + HASH_BYTES <= bytes.length; at += HASH_BYTES) {
    const hash = hashAt(bytes, at);
    if (hash >= limit) continue;
    candidates[count++] = hash;
    if (count < MOST_CANDIDATES) continue;
    count = keepFirst(candidates);
    limit = count < MOST ? Infinity : candidates[MOST - 1] ?? Infinity;
  }
  const rest = candidates.subarray(0, count);
  return [...rest.subarray(0, keepFirst(rest))];
}

function hashAt(bytes: Uint8Array, at: number): number {
  let low = 0;
  for (let byte = 1; byte < HASH_BYTES; byte++) low = (low << 8) | (bytes[at + byte] ?? 0);
  return (bytes[at] ?? 0) * 2 ** 32 + (low >>> 0);
}

/** Moves the smallest of the hashes to the front, in order and each once, and returns how many they are. */
function keepFirst(hashes: Float64Array): number {
  hashes.sort();
  let count = 0;
  for (const hash of hashes) {
    if (count > 0 && hash === hashes[count - 1]) continue;
    hashes[count++] = hash;
    if (count === MOST) break;
  }
  return count;
}
