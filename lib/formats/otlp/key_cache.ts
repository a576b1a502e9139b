/**
 * Names of attributes by their bytes. A process sees the same few hundred all day, and decoding one anew costs more than
 * all the rest of its attribute.
 */

/** Longer names are decoded every time. */
const MAX_BYTES = 48;
/** A power of two; names that fall on the same place take turns. */
const PLACES = 2_048;

const bytes = new Uint8Array(PLACES * MAX_BYTES);
const texts: string[] = new Array(PLACES).fill("");

/**
 * The text of the bytes `[start, end)` when all of them are visible ASCII and few; null for others.
 */
export function keyText(source: Uint8Array, start: number, end: number): string | null {
  const length = end - start;
  if (length > MAX_BYTES) return null;
  let hash = length;
  for (let at = start; at < end; at++) {
    const byte = source[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e) return null;
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
  const known = texts[place] ?? "";
  if (known.length === length && isSame(source, start, place * MAX_BYTES, length)) return known;
  return remember(source.subarray(start, end), place);
}

function isSame(source: Uint8Array, start: number, offset: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (source[start + i] !== bytes[offset + i]) return false;
  return true;
}

function remember(key: Uint8Array, place: number): string {
  bytes.set(key, place * MAX_BYTES);
  const text = String.fromCharCode(...key);
  texts[place] = text;
  return text;
}
