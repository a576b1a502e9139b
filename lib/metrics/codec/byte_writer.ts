/** Appends numbers to bytes. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

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
