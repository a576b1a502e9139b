import { type FieldHandler, OtlpReader } from "./reader.ts";
import type { Budget } from "./budget.ts";

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** Takes one field of a message of profiles. */
export type ProfileField<T> = (field: number, target: T, reader: ProfileReader) => void;

/** Reads messages of profiles, which have what no others have: lists of packed numbers, exact ones of 64 bits, bytes. */
export class ProfileReader extends OtlpReader {
  constructor(bytes: Uint8Array, readonly budget: Budget) {
    super(bytes);
  }

  /** Reads the whole body as one message. @throws {Refusal} 400 when it is none, 413 when there is too much of it */
  readWhole<T>(handle: ProfileField<T>, target: T): T {
    return this.readAll(handle as FieldHandler<T>, target);
  }

  /** Reads a message into `target`, and counts it. @throws {Refusal} 400 or 413 */
  part<T>(handle: ProfileField<T>, target: T): T {
    this.budget.part();
    return this.message(handle as FieldHandler<T>, target);
  }

  /** Reads places in a table, packed or one at a time. @throws {Refusal} 413 */
  placesInto(list: number[]): void {
    this.#each((reader) => {
      reader.budget.places();
      list.push(reader.readVarint());
    }, VARINT);
  }

  /** Reads exact numbers with sign, packed or one at a time. @throws {Refusal} 413 */
  int64sInto(list: bigint[]): void {
    this.#each((reader) => {
      reader.budget.values();
      list.push(reader.#int64());
    }, VARINT);
  }

  /** Reads times in nanoseconds, packed or one at a time. @throws {Refusal} 413 */
  nanosInto(list: bigint[]): void {
    this.#each((reader) => {
      reader.budget.values();
      list.push(reader.#fixed64());
    }, FIXED64);
  }

  /** An exact number with sign; 0 when unset. */
  bigInt64(): bigint {
    return this.type === VARINT ? this.#int64() : 0n;
  }

  /** An exact number without sign; 0 when unset. */
  bigUint64(): bigint {
    return BigInt.asUintN(64, this.bigInt64());
  }

  /** A time in nanoseconds, of a fixed size or not; 0 when unset. */
  nanos(): bigint {
    return this.type === FIXED64 ? this.#fixed64() : this.bigUint64();
  }

  /** A view of bytes; null for none. @throws {Refusal} 400 */
  bytesOf(): Uint8Array | null {
    if (this.type !== BYTES) return null;
    const end = this.readVarint() + this.pos;
    const bytes = this.buf.subarray(this.pos, end);
    this.pos = end;
    return bytes;
  }

  #each(read: (reader: ProfileReader) => void, single: number): void {
    if (this.type === single) read(this);
    else if (this.type === BYTES) {
      const end = this.readVarint() + this.pos;
      while (this.pos < end) {
        // Beyond the body there are no bytes that could end a number, nor any of a fixed size.
        if (this.pos >= this.length) throw new RangeError("a list goes on beyond the body");
        read(this);
      }
      if (this.pos !== end) throw new RangeError("a list ends within a number");
    }
  }

  #int64(): bigint {
    const start = this.pos;
    const number = this.readVarint(true);
    if (Number.isSafeInteger(number)) return BigInt(number);
    let value = 0n;
    for (let at = start, shift = 0n; at < this.pos; at++, shift += 7n) {
      value |= BigInt((this.buf[at] ?? 0) & 0x7f) << shift;
    }
    return BigInt.asIntN(64, value);
  }

  #fixed64(): bigint {
    const low = this.readFixed32();
    return BigInt(this.readFixed32()) << 32n | BigInt(low);
  }
}
