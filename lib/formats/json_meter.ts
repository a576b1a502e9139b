/** How much one request may make a parser of JSON build, whatever it is made of. */
export interface JsonBounds {
  /** Values and names: what opens, what separates and what names counts one each. */
  readonly parts: number;
  /** Different names: each new one costs a microsecond and is remembered by the engine. */
  readonly names: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;

/** Bits to tell names apart by. With half of them set 90,000 names have been seen. */
const NAME_BITS = 2 ** 17;
const FNV_PRIME = 0x01000193;
/** Nobody can choose names that look the same here. */
const SEED = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;

/**
 * Tells what a parser would make of JSON before anything is made: three bytes are enough for an object, and gzip makes
 * eleven kilobytes of four million of them. One pass over the bytes, a nanosecond or two for each.
 */
export class JsonMeter {
  #parts = 0;
  #names = 0;
  readonly #seen = new Uint32Array(NAME_BITS / 32);

  constructor(private readonly bounds: JsonBounds) {}

  /**
   * Whether these bytes may be parsed as well: what may not is not counted, and others beside it still fit.
   *
   * @param json UTF-8, which need not be whole or JSON
   * @param cost of a part: less than 1 where little is made of it
   */
  admits(json: Uint8Array, cost = 1): boolean {
    const parts = this.#parts + cost * this.#count(json);
    if (parts > this.bounds.parts || this.#names > this.bounds.names) return false;
    this.#parts = parts;
    return true;
  }

  #count(json: Uint8Array): number {
    let parts = 0;
    let hash = SEED;
    for (let at = 0; at < json.length; at++) {
      const byte = json[at];
      if (byte === QUOTE) {
        hash = SEED;
        for (at++; at < json.length && json[at] !== QUOTE; at++) {
          if (json[at] === BACKSLASH) at++;
          hash = Math.imul(hash ^ (json[at] ?? 0), FNV_PRIME);
        }
      } else if (byte === COLON) {
        parts++;
        this.#note(hash);
      } else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) parts++;
    }
    return parts;
  }

  #note(hash: number): void {
    const bit = (hash ^ hash >>> 15) & NAME_BITS - 1;
    const word = this.#seen[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return;
    this.#seen[bit >>> 5] = word | mask;
    this.#names++;
  }
}
