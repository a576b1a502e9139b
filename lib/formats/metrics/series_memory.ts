/**
 * What bytes of labels were read as, for readers that see the same series in nearly the same order again and again: what
 * came after a series last time is looked at first, byte by byte, and only when it is another one its bytes become a key.
 */

interface Known<T> {
  /** The bytes, four by four; those behind the last four stand alone. */
  readonly words: Uint32Array;
  readonly rest: Uint8Array;
  readonly length: number;
  readonly value: T;
  next: Known<T> | null;
}

/** Values by the bytes that they were read from. */
export class SeriesMemory<T> {
  readonly #known = new Map<string, Known<T>>();
  /** With what the last reading began. */
  first: Known<T> | null = null;

  get(key: string): Known<T> | undefined {
    return this.#known.get(key);
  }

  set(key: string, bytes: Uint8Array, value: T): Known<T> {
    const { length } = bytes;
    const count = length >> 2;
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    const words = Uint32Array.from(
      { length: count },
      (_, place) => view.getUint32(4 * place, true),
    );
    const rest = new Uint8Array(bytes.subarray(4 * count));
    const known = { words, rest, length, value, next: null };
    this.#known.set(key, known);
    return known;
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
    const { words, rest, length } = next;
    if (at + length > end) return 0;
    let from = at;
    for (let place = 0; place < words.length; place++, from += 4) {
      if (view.getUint32(from, true) !== words[place]) return 0;
    }
    for (let place = 0; place < rest.length; place++) {
      if (view.getUint8(from + place) !== rest[place]) return 0;
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
