/** Whole numbers as LEB128, seven bits a byte, the lowest first: of trees of stacks most take one byte. */

/** 2^53: from here on numbers are no longer exact. */
const LIMIT = 9007199254740992n;

/** Appends numbers to bytes. */
export class VarintWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  /** @param value a whole number from 0 below 2^53 */
  number(value: number): void {
    this.#room(8);
    while (value > 127) {
      this.#bytes[this.#length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.#bytes[this.#length++] = value;
  }

  /** An int64, sign last, so that small negative ones are short too. */
  signed(value: bigint): void {
    if (value > -LIMIT / 2n && value < LIMIT / 2n) {
      const plain = Number(value);
      return this.number(plain < 0 ? -2 * plain - 1 : 2 * plain);
    }
    let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
    this.#room(10);
    while (rest > 127n) {
      this.#bytes[this.#length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #room(needed: number): void {
    if (this.#length + needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + needed));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Reads what {@linkcode VarintWriter} wrote. Every method throws a RangeError at the end and on what is too large. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** At most `most`. */
  number(most = Number.MAX_SAFE_INTEGER): number {
    let value = 0;
    let weight = 1;
    for (;;) {
      const byte = this.#byte();
      value += (byte & 127) * weight;
      if (!(value <= most)) throw new RangeError("number too large");
      if (byte < 128) return value;
      weight *= 128;
    }
  }

  signed(): bigint {
    let value = 0;
    let weight = 1;
    for (let shift = 0; shift < 49; shift += 7) {
      const byte = this.#byte();
      value += (byte & 127) * weight;
      if (byte < 128) return BigInt(value % 2 === 0 ? value / 2 : -(value + 1) / 2);
      weight *= 128;
    }
    return this.#large(BigInt(value));
  }

  bytes(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new RangeError("end of bytes");
    return this.#bytes.subarray(this.#at, this.#at += length);
  }

  #large(value: bigint): bigint {
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value += BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new RangeError("number too large");
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError("end of bytes");
    return byte;
  }
}
