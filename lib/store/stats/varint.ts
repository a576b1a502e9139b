/** Whole numbers in as few bytes as they need: seven bits each, low ones first (LEB128, as protobuf has it). */

/** Appends a number, 0 to 2^53 - 1. */
export function writeVarint(bytes: number[], value: number): void {
  while (value > 0x7f) {
    bytes.push((value % 0x80) | 0x80);
    value = Math.floor(value / 0x80);
  }
  bytes.push(value);
}

/** Appends a number that may be negative: -1 → 1, 1 → 2, -2 → 3. */
export function writeSigned(bytes: number[], value: number): void {
  writeVarint(bytes, value < 0 ? -2 * value - 1 : 2 * value);
}

/** Reads numbers one after the other. */
export class VarintReader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#at >= this.bytes.length;
  }

  /** @throws {RangeError} when the bytes end in the middle of a number */
  read(): number {
    let value = 0;
    for (let factor = 1;; factor *= 0x80) {
      const byte = this.bytes[this.#at++];
      if (byte === undefined) throw new RangeError("Cannot read a number: the bytes end early");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  /** @throws {RangeError} as `read()` */
  readSigned(): number {
    const value = this.read();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }
}
