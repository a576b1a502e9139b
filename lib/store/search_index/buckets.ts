/**
 * What rows are found by, as numbers: parts of their texts, and values of their attributes. Two that are alike in
 * Postgres' `ilike` have the same number here, and some that are not: whoever finds a row by it looks at the row as well.
 */

/** Numbers of buckets have so many bits. */
const BUCKET_BITS = 17;
export const BUCKETS = 1 << BUCKET_BITS;

/** Characters whose case is nobody's guess are one. */
const ANY = 0xffff;
/** Below it Unicode's case is old and settled: Latin, Greek, Cyrillic. */
const SETTLED = 0x530;

const FOLDED = Uint16Array.from({ length: 0x10000 }, (_, code) => foldOf(code));

function foldOf(code: number): number {
  // The one whose small letter is ASCII in Postgres, and in JavaScript two characters: a dotted I.
  if (code === 0x130) return 0x69;
  const char = String.fromCharCode(code);
  const lower = char.toLowerCase();
  const isOne = lower.length === 1 && lower.charCodeAt(0) < SETTLED;
  // Some have their other case beyond.
  if (code < SETTLED) {
    return isOne && char.toUpperCase().charCodeAt(0) < SETTLED ? lower.charCodeAt(0) : ANY;
  }
  // The signs of the kelvin and the ohm, for instance.
  if (isOne) return foldOf(lower.charCodeAt(0));
  // Kana, Chinese and Korean have no case.
  const hasNone = code >= 0x3040 && code < 0xa000 || code >= 0xac00 && code < 0xd7a4;
  return hasNone ? code : ANY;
}

const SHORT = 3;
const LONG = 5;

function mixed(hash: number, value: number): number {
  const next = Math.imul(hash ^ value, 0x9e3779b1);
  return next ^ (next >>> 15);
}

function bucketOf(hash: number): number {
  return Math.imul(hash, 0x85ebca6b) >>> (32 - BUCKET_BITS);
}

/** Calls `add` with the bucket of each part of a text by which it is found, some of them more than once. */
export function addText(text: string, add: (bucket: number) => void): void {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const e = FOLDED[text.charCodeAt(at)] ?? ANY;
    if (at >= SHORT - 1) add(bucketOf(mixed(mixed(mixed(SHORT, c), d), e)));
    if (at >= LONG - 1) {
      add(bucketOf(mixed(mixed(mixed(mixed(mixed(LONG, a), b), c), d), e)));
    }
    [a, b, c, d] = [b, c, d, e];
  }
}

/** Buckets that all texts are in which contain this one; none where it is too short to tell. */
export function bucketsOfPart(part: string): number[] {
  const size = part.length < LONG ? SHORT : LONG;
  const found: number[] = [];
  for (let at = 0; at + size <= part.length; at++) {
    let hash = size;
    for (let place = at; place < at + size; place++) {
      hash = mixed(hash, FOLDED[part.charCodeAt(place)] ?? ANY);
    }
    found.push(bucketOf(hash));
  }
  return found;
}

const EXACT = 7;

/** The bucket of what has exactly this value under a key, or under a null value the key. */
export function bucketOfValue(key: string, value: string | null): number {
  let hash = mixedAll(EXACT, key);
  if (value !== null) hash = mixedAll(mixed(hash, 0x10001), value);
  return bucketOf(hash);
}

function mixedAll(start: number, text: string): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = mixed(hash, FOLDED[text.charCodeAt(at)] ?? ANY);
  return hash;
}
