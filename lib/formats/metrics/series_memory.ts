/**
 * What bytes of labels were read as, for readers that see the same series in nearly the same order again and again: what
 * came after a series last time is looked at first, byte by byte, and only when it is another one its bytes become a key.
 */

interface Known<T> {
  /** Where its bytes begin among all, in words. */
  readonly from: number;
  /** Of bytes. */
  readonly length: number;
  readonly value: T;
  next: Known<T> | null;
}

const WORD_BYTES = 4;
const FIRST_WORDS = 256;

/**
 * Values by the bytes that they were read from. All of these lie one behind the other, since what is looked at in a row
 * costs little: lists of their own would be all over the memory.
 */
export class SeriesMemory<T> {
  readonly #known = new Map<string, Known<T>>();
  /** Four bytes each, those behind the last four included. */
  words = new Uint32Array(FIRST_WORDS);
  #taken = 0;
  /** With what the last reading began. */
  first: Known<T> | null = null;

  get(key: string): Known<T> | undefined {
    return this.#known.get(key);
  }

  set(key: string, bytes: Uint8Array, value: T): Known<T> {
    const { length } = bytes;
    const from = this.#taken;
    this.#taken += Math.ceil(length / WORD_BYTES);
    if (this.#taken > this.words.length) this.#grow();
    const count = length >> 2;
    const source = new DataView(bytes.buffer, bytes.byteOffset, length);
    for (let place = 0; place < count; place++) {
      this.words[from + place] = source.getUint32(WORD_BYTES * place, true);
    }
    let rest = 0;
    for (let at = WORD_BYTES * count; at < length; at++) {
      rest |= (bytes[at] ?? 0) << 8 * (at - WORD_BYTES * count);
    }
    if (length > WORD_BYTES * count) this.words[from + count] = rest;
    const known = { from, length, value, next: null };
    this.#known.set(key, known);
    return known;
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#taken);
    larger.set(this.words);
    this.words = larger;
  }
}

/** One reading of series, in their order. */
export class SeriesWalk<T> {
  #last: Known<T> | null = null;
  #next: Known<T> | null;

  constructor(private readonly memory: SeriesMemory<T>) {
    this.#next = memory.first;
  }

  /**
   * Steps on to the series that came next last time, if its bytes stand here.
   *
   * @returns how many bytes it has; 0 when it is another one
   */
  match(view: DataView, at: number, end: number): number {
    const next = this.#next;
    if (next === null) return 0;
    const { from, length } = next;
    if (at + length > end) return 0;
    const { words } = this.memory;
    const last = from + (length >> 2);
    let to = at;
    for (let place = from; place < last; place++, to += WORD_BYTES) {
      if (view.getUint32(to, true) !== words[place]) return 0;
    }
    const rest = words[last] ?? 0;
    for (let shift = 0; to < at + length; shift += 8, to++) {
      if (view.getUint8(to) !== (rest >>> shift & 255)) return 0;
    }
    return length;
  }

  /** What {@linkcode match} found. */
  take(): T | undefined {
    const next = this.#next;
    if (next === null) return undefined;
    this.#last = next;
    this.#next = next.next;
    return next.value;
  }

  /** Steps on to the series of these bytes, if it is known. @param key of them */
  find(key: string): T | undefined {
    const known = this.memory.get(key);
    if (known === undefined) return undefined;
    this.#link(known);
    return known.value;
  }

  /** Steps on to a series that is remembered from now on. */
  learn(key: string, bytes: Uint8Array, value: T): void {
    this.#link(this.memory.set(key, bytes, value));
  }

  #link(known: Known<T>): void {
    if (this.#last === null) this.memory.first = known;
    else this.#last.next = known;
    this.#last = known;
    this.#next = known.next;
  }
}
