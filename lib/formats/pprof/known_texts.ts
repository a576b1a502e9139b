/** Texts that profiles of the same programs bring again and again, found by their bytes. */
import { seededHash } from "../../core/seeded_hash.ts";

/** Longer ones are rare, and read as they come. */
const LONGEST = 255;
/** Of all together: those of some twenty programs. When they are more, it begins anew. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_TEXTS = 32_768;
const SLOTS = 2 * MAX_TEXTS;
/** What stands further from its place is not found, so that texts made to collide cost no more than others. */
const MAX_STEPS = 8;

/**
 * Keeps texts by their bytes. Making a text costs more than finding it, and one that was found before is the same
 * object, which maps find without reading it.
 */
export class KnownTexts {
  readonly #texts: string[] = [];
  /** Their bytes, four in a word, one behind the other; made when the first is kept. */
  #words = new Int32Array(0);
  /** Where the words of each text end. */
  #ends = new Uint32Array(0);
  /** In bytes. */
  #lengths = new Uint8Array(0);
  /** Hash and number of a text, from 1; 0 is free. */
  #slots = new Uint32Array(0);

  /** The text that bytes are, if it is known. */
  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    if (end - start > LONGEST || this.#texts.length === 0) return undefined;
    const slots = this.#slots;
    const hash = hashOf(bytes, start, end);
    for (let step = 0; step < MAX_STEPS; step++) {
      const slot = 2 * ((hash + step) & (SLOTS - 1));
      const number = slots[slot + 1] as number;
      if (number === 0) return undefined;
      if (slots[slot] === hash && this.#isSame(number - 1, bytes, start, end)) {
        return this.#texts[number - 1];
      }
    }
    return undefined;
  }

  /** Keeps a text that is not known, if there is a place for it. */
  keep(bytes: Uint8Array, start: number, end: number, text: string): void {
    if (end - start > LONGEST) return;
    this.#makeRoom(end - start);
    const slots = this.#slots;
    const hash = hashOf(bytes, start, end);
    for (let step = 0; step < MAX_STEPS; step++) {
      const slot = 2 * ((hash + step) & (SLOTS - 1));
      if (slots[slot + 1] !== 0) continue;
      const from = this.#endOf(this.#texts.length - 1);
      const number = this.#texts.push(text);
      this.#lengths[number - 1] = end - start;
      let to = from;
      for (let at = start; at < end; at += 4) this.#words[to++] = wordAt(bytes, at, end);
      this.#ends[number - 1] = to;
      slots[slot] = hash;
      slots[slot + 1] = number;
      return;
    }
  }

  #endOf(place: number): number {
    return place < 0 ? 0 : this.#ends[place] as number;
  }

  #isSame(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#lengths[place] !== end - start) return false;
    const words = this.#words;
    let word = this.#endOf(place - 1);
    for (let at = start; at < end; at += 4) {
      if (words[word++] !== wordAt(bytes, at, end)) return false;
    }
    return true;
  }

  #makeRoom(length: number): void {
    const isFull = this.#texts.length === MAX_TEXTS ||
      4 * this.#endOf(this.#texts.length - 1) + length + 4 > MAX_BYTES;
    if (this.#words.length > 0 && !isFull) return;
    if (this.#words.length > 0) {
      this.#slots.fill(0);
      this.#texts.length = 0;
      return;
    }
    this.#words = new Int32Array(MAX_BYTES / 4);
    this.#lengths = new Uint8Array(MAX_TEXTS);
    this.#ends = new Uint32Array(MAX_TEXTS);
    this.#slots = new Uint32Array(2 * SLOTS);
  }
}

/** Up to four bytes from a place on. */
function wordAt(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 <= end) {
    return (bytes[at] as number) | (bytes[at + 1] as number) << 8 |
      (bytes[at + 2] as number) << 16 | (bytes[at + 3] as number) << 24;
  }
  let word = 0;
  for (let left = at; left < end; left++) word = word << 8 | (bytes[left] as number);
  return word;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 4) {
    hash = Math.imul(hash ^ wordAt(bytes, at, end), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return seededHash(hash, end - start) >>> 0;
}

/** Of this isolate. What is in it tells nobody anything but how fast a text is read. */
export const knownTexts = new KnownTexts();
