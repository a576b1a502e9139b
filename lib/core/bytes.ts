/**
 * Numbers as bytes, as we store them: LEB128, seven bits a byte, low ones first, as protobuf has it too. Signs stand last
 * (zigzag), so that small negative numbers are short.
 */

/** Of the highest seven bits of a number. */
const MAX_WEIGHT = 2 ** 49;
/** From here on a number with its sign is no safe integer. */
const MAX_SIGNED = 2n ** 52n;

/** Reads what {@linkcode ByteWriter} wrote. Every method throws a DamagedBytes where that is not possible. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  /** Made when it is needed: most of what is read is short. */
  #view: DataView | null = null;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** How many bytes have been read. */
  get position(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new DamagedBytes("The bytes end early");
    return byte;
  }

  /** @param most what it may be */
  varint(most = Number.MAX_SAFE_INTEGER): number {
    // Most are small. At the end `#long` tells what is missing.
    const first = this.#bytes[this.#at] ?? 128;
    if (first > 127 || first > most) return this.#long(most);
    this.#at++;
    return first;
  }

  #long(most: number): number {
    let value = 0;
    for (let weight = 1; weight <= MAX_WEIGHT; weight *= 128) {
      const byte = this.byte();
      value += (byte & 127) * weight;
      if (byte > 127) continue;
      if (value > most) break;
      return value;
    }
    throw new DamagedBytes("A number is too large");
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  /** What {@linkcode ByteWriter.int64} wrote. */
  int64(): bigint {
    let value = 0;
    let weight = 1;
    for (; weight < MAX_WEIGHT; weight *= 128) {
      const byte = this.byte();
      value += (byte & 127) * weight;
      if (byte < 128) return BigInt(value % 2 === 0 ? value / 2 : -(value + 1) / 2);
    }
    return this.#wide(BigInt(value));
  }

  /** The rest of a number of which 49 bits are read. */
  #wide(value: bigint): bigint {
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value += BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new DamagedBytes("A number is too large");
  }

  /** Fills a list with what {@linkcode signed} would give one after the other; several times as fast. */
  signedList(values: Float64Array): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let place = 0; place < values.length; place++) {
      // Up to four bytes they are small integers, which is much faster; written out, faster still.
      let byte = bytes[at++] ?? 0;
      let small = byte & 127;
      if (byte > 127) {
        byte = bytes[at++] ?? 0;
        small |= (byte & 127) << 7;
        if (byte > 127) {
          byte = bytes[at++] ?? 0;
          small |= (byte & 127) << 14;
          if (byte > 127) {
            byte = bytes[at++] ?? 0;
            small |= (byte & 127) << 21;
          }
        }
      }
      if (byte < 128) {
        values[place] = (small >>> 1) ^ -(small & 1);
        continue;
      }
      let value = small;
      for (let weight = 2 ** 28; byte > 127; weight *= 128) {
        if (weight > MAX_WEIGHT) throw new DamagedBytes("A number is too large");
        byte = bytes[at++] ?? 0;
        value += (byte & 127) * weight;
      }
      if (value > Number.MAX_SAFE_INTEGER) throw new DamagedBytes("A number is too large");
      values[place] = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    }
    if (at > bytes.length) throw new DamagedBytes("The bytes end early");
    this.#at = at;
  }

  double(): number {
    return this.#viewed().getFloat64(this.#take(8), true);
  }

  id(): string {
    return this.#viewed().getBigUint64(this.#take(8), true).toString();
  }

  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  skip(length: number): void {
    this.#take(length);
  }

  #viewed(): DataView {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    return this.#view ??= new DataView(buffer, byteOffset, byteLength);
  }

  #take(length: number): number {
    const at = this.#at;
    if (length > this.remaining) throw new DamagedBytes("The bytes end early");
    this.#at += length;
    return at;
  }
}

/** Appends numbers to bytes. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;

  /** @param room for how many bytes about; it grows */
  constructor(room = 1024) {
    this.#bytes = new Uint8Array(room);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** @param value 0 to 255 */
  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  /** In as few bytes as it needs, seven bits each. @param value a whole number from 0 below 2^53 */
  varint(value: number): void {
    this.#room(8);
    while (value > 0x0fffffff) {
      this.#bytes[this.#length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    let small = value | 0;
    while (small > 127) {
      this.#bytes[this.#length++] = (small & 127) | 128;
      small >>>= 7;
    }
    this.#bytes[this.#length++] = small;
  }

  /** @param value a whole number above -2^52 and below 2^52 */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** As {@linkcode signed}, for any number of 64 bits. */
  int64(value: bigint): void {
    if (value > -MAX_SIGNED && value < MAX_SIGNED) return this.signed(Number(value));
    this.#room(10);
    let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
    for (; rest > 127n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 127n) | 128;
    this.#bytes[this.#length++] = Number(rest);
  }

  double(value: number): void {
    this.#room(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** @param id a decimal number from 0 below 2^64 */
  id(id: string): void {
    this.#room(8);
    this.#view.setBigUint64(this.#length, BigInt(id), true);
    this.#length += 8;
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** What was written so far; it changes when more is written. */
  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #room(needed: number): void {
    if (this.#length + needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + needed));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** Stored bytes that nobody can have written, or that a later version wrote. */
export class DamagedBytes extends RangeError {
  override name = "DamagedBytes";
}
