import { PbfReader } from "pbf";
import { PprofError } from "./faults.ts";

export const VARINT = 0;
export const BYTES = 2;

/** Where the messages of one kind stand among the bytes. */
export class Spans {
  count = 0;
  #bounds = new Uint32Array(64);

  /** @param what one of them, as a refusal names it */
  constructor(readonly what: string, readonly limit: number) {}

  /** @throws {PprofError} when there are too many */
  add(start: number, end: number): void {
    if (this.count === this.limit) throw tooMany(`${this.what}s`, this.limit);
    const at = 2 * this.count++;
    if (at === this.#bounds.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.#bounds);
      this.#bounds = larger;
    }
    this.#bounds[at] = start;
    this.#bounds[at + 1] = end;
  }

  start(index: number): number {
    return this.#bounds[2 * index] ?? 0;
  }

  end(index: number): number {
    return this.#bounds[2 * index + 1] ?? 0;
  }

  /** Of all together. */
  get bytes(): number {
    let sum = 0;
    for (let index = 0; index < this.count; index++) sum += this.end(index) - this.start(index);
    return sum;
  }
}

/** A refusal of a profile with more parts than {@linkcode LIMITS} allows. */
export function tooMany(parts: string, limit: number): PprofError {
  return new PprofError(`it has more than ${limit.toLocaleString("en")} ${parts}`, "too_large");
}

/** Runs what reads, and makes refusals of what `pbf` gives up on: groups, and varints without an end. */
export function refuseDamaged<T>(reader: WireReader, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Error && error.constructor === Error ? reader.damaged() : error;
  }
}

/**
 * Reads protobuf field by field. A field of another wire type than its message declares is refused, as is a message
 * that does not end where its length says. Numbers of 64 bits come in two halves: a profile has a million of them.
 */
export class WireReader extends PbfReader {
  /** The halves of the number read last, without sign. */
  low = 0;
  high = 0;
  /** Where the message that is being read ends. */
  end: number;
  #what = "";
  #number = 0;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.end = bytes.length;
  }

  /** Goes to a message to read it. */
  open(spans: Spans, index: number): void {
    this.pos = spans.start(index);
    this.end = spans.end(index);
    this.#what = spans.what;
    this.#number = index + 1;
  }

  /** What is being read, as `sample 17`. */
  get place(): string {
    return this.#what === "" ? "the profile" : `${this.#what} ${this.#number}`;
  }

  /** The number of the next field, whose wire type is then in `type`; 0 at the end. @throws {PprofError} */
  next(): number {
    const first = this.pos < this.end ? this.buf[this.pos] ?? 0 : 0;
    // Nearly all take one byte.
    if (first > 7 && first < 0x80) {
      this.pos++;
      this.type = first & 7;
      return first >>> 3;
    }
    return this.#nextOther();
  }

  #nextOther(): number {
    if (this.pos >= this.end) {
      if (this.pos !== this.end) throw this.damaged();
      return 0;
    }
    const tag = this.readVarint();
    const field = tag >>> 3;
    if (field === 0 || tag > 0xffffffff) throw this.damaged();
    this.type = tag & 7;
    return field;
  }

  /** Passes over the value of a field that nobody asks for. @throws {PprofError} */
  pass(): void {
    this.skip(this.type);
    // Not `>`: a length that is cut short is no number.
    if (!(this.pos <= this.end)) throw this.damaged();
  }

  /** Reads a length and says where that many bytes end. @throws {PprofError} when they are not all there */
  lengthEnd(): number {
    this.expect(BYTES);
    const first = this.buf[this.pos] ?? 0;
    // Most lengths take one byte.
    const end = first > 0x7f ? this.readVarint() + this.pos : first + ++this.pos;
    if (!(end <= this.end)) throw this.#cut(end);
    return end;
  }

  /** Goes into a message within this one. @returns the end of this one, for {@linkcode leave} */
  enter(): number {
    const outer = this.end;
    this.end = this.lengthEnd();
    return outer;
  }

  /** Goes on after a message within. */
  leave(outer: number): void {
    this.pos = this.end;
    this.end = outer;
  }

  /** @throws {PprofError} for a value of another wire type */
  expect(type: number): void {
    if (this.type !== type) {
      throw new PprofError(`${this.place} has a field of a wrong type before byte ${this.pos}`);
    }
  }

  /** Reads a number into `low` and `high`. @throws {PprofError} */
  int64(): void {
    this.expect(VARINT);
    this.readHalves();
  }

  /** The next varint as an exact number with sign. @throws {PprofError} */
  bigInt64(): bigint {
    return BigInt.asIntN(64, this.bigUint64());
  }

  /** The next varint as an exact number without sign. @throws {PprofError} */
  bigUint64(): bigint {
    this.int64();
    return wide(this.low, this.high);
  }

  /** The next varint as a place in a table; one beyond every table for what is negative or wider. @throws {PprofError} */
  ref(): number {
    this.expect(VARINT);
    return this.packedRef();
  }

  /** Like {@linkcode ref}, within a packed list. @throws {PprofError} */
  packedRef(): number {
    this.readHalves();
    return this.high === 0 ? this.low : Infinity;
  }

  /** The next varint as a number of a line or column; 0 for one that is negative or too wide. @throws {PprofError} */
  uint32(): number {
    this.int64();
    return this.high === 0 ? this.low : 0;
  }

  /** Reads a varint of at most ten bytes into `low` and `high`, whatever the wire type. @throws {PprofError} */
  readHalves(): void {
    const { buf } = this;
    let at = this.pos;
    let byte = buf[at++] ?? 0;
    if (byte < 0x80 && at <= this.end) {
      this.pos = at;
      this.low = byte;
      this.high = 0;
      return;
    }
    let low = byte & 0x7f;
    let shift = 7;
    for (; byte > 0x7f && shift < 28; shift += 7) {
      byte = buf[at++] ?? 0;
      low |= (byte & 0x7f) << shift;
    }
    this.pos = at;
    this.low = low;
    this.high = 0;
    if (byte > 0x7f) this.#readWide(low);
    else if (at > this.end) throw this.damaged();
  }

  #readWide(low: number): void {
    const { buf } = this;
    let at = this.pos;
    let byte = buf[at++] ?? 0;
    this.low = (low | byte << 28) >>> 0;
    let high = (byte & 0x7f) >> 4;
    for (let shift = 3; byte > 0x7f; shift += 7) {
      if (shift > 31) throw this.damaged();
      byte = buf[at++] ?? 0;
      high |= (byte & 0x7f) << shift;
    }
    this.pos = at;
    this.high = high >>> 0;
    if (at > this.end) throw this.damaged();
  }

  #cut(end: number): PprofError {
    this.pos = end;
    return this.damaged();
  }

  /** A refusal of bytes that are no protobuf. */
  damaged(): PprofError {
    const at = Math.min(this.pos, this.length) || 0;
    return this.pos > this.length
      ? new PprofError(`the bytes end in the middle of ${this.place}`)
      : new PprofError(`${this.place} is no protobuf at byte ${at}`);
  }
}

/** A number of two halves. */
export function wide(low: number, high: number): bigint {
  return high === 0 ? BigInt(low) : BigInt(high) << 32n | BigInt(low);
}
