import { Buffer } from "node:buffer";
import { PbfReader } from "pbf";
import type { Take } from "./message.ts";
import { cleanText, microsOf } from "./model.ts";
import { LIMITS, tooManyParts, unreadable } from "./request.ts";

// Wire types.
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

/** A character takes three bytes for each UTF-16 unit at most, and four for two. */
const MAX_BYTES_PER_UNIT = 3;
/** Longer ids are as wrong as those of one byte more. */
const MAX_ID_BYTES = 17;
const NO_ID = /^0*$/;

/** Takes one field of a message. What it does not read is skipped. */
export type FieldHandler<T, R = OtlpReader> = (field: number, target: T, reader: R) => void;

/** Refuses what `pbf` gives up on: groups, varints without an end, numbers beyond the end of the body. */
export function refuseDamaged<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const isPbfs = error instanceof Error &&
      (error.constructor === Error || error.constructor === RangeError);
    throw isPbfs ? unreadable("protobuf") : error;
  }
}

/**
 * Reads OTLP's messages field by field. A field of another wire type than its message declares reads as unset and is
 * skipped, as is one that nobody asks for. Every message ends where its length says, or the request is refused.
 */
export class OtlpReader extends PbfReader {
  readonly #bytes: Buffer;
  #elements = 0;
  #numbers = 0;
  /** Where the innermost message ends. */
  #end: number;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
  }

  /** Reads the whole body as one message. @throws {Refusal} 400 when it is none */
  readAll<T>(handle: FieldHandler<T, this>, target: T): T {
    this.#readTo(this.length, handle, target);
    return target;
  }

  /** Whether the field may be a message. */
  get isMessage(): boolean {
    return this.type === BYTES;
  }

  /** Counts an element of a list or map that is a value. @throws {Refusal} 413 when there are too many */
  countElement(): void {
    if (++this.#elements > LIMITS.messages) throw tooManyParts();
  }

  /** Reads a message into `target`. @throws {Refusal} 400 when it is damaged */
  message<T>(handle: FieldHandler<T, this>, target: T): T {
    if (this.type !== BYTES) return target;
    const outer = this.#end;
    this.#readTo(this.#lengthEnd(), handle, target);
    this.#end = outer;
    return target;
  }

  /** Reads a message into `target` by the table of its fields. @throws {Refusal} 400 when it is damaged */
  table<T>(byNumber: readonly (Take<T, this> | undefined)[], target: T): T {
    if (this.type !== BYTES) return target;
    const outer = this.#end;
    const end = this.#lengthEnd();
    this.#end = end;
    for (let field = this.nextField(end); field !== 0; field = this.nextField(end)) {
      const take = byNumber[field];
      if (take !== undefined) take(target, this);
    }
    if (this.pos !== end) throw unreadable("protobuf");
    this.#end = outer;
    return target;
  }

  #readTo<T>(end: number, handle: FieldHandler<T, this>, target: T): void {
    this.#end = end;
    for (let field = this.nextField(end); field !== 0; field = this.nextField(end)) {
      handle(field, target, this);
    }
    if (this.pos !== end) throw unreadable("protobuf");
  }

  /**
   * Passes over a message and notes where it is, for {@linkcode readNoted}: some can only be understood once what
   * stands behind them is known. Messages in a row become one place.
   *
   * @param places where messages begin, at their lengths, and end; in turns
   * @throws {Refusal} 400 when it is damaged
   */
  note(places: number[]): void {
    if (this.type !== BYTES) return;
    const start = this.pos;
    this.pos = this.#lengthEnd();
    const last = places.length - 1;
    // Between two in a row is nothing but a field's number, which is one byte.
    if (last > 0 && places[last] === start - 1) places[last] = this.pos;
    else places.push(start, this.pos);
  }

  /** Reads every message at `places` with `read`, and goes back to where it was. @throws {Refusal} 400 */
  readNoted<T>(
    places: readonly number[],
    read: (target: T, reader: this) => void,
    target: T,
  ): void {
    const { pos, type } = this;
    const outer = this.#end;
    for (let place = 0; place < places.length; place += 2) {
      this.pos = places[place] ?? 0;
      const end = places[place + 1] ?? 0;
      do {
        this.type = BYTES;
        this.#end = end;
        read(target, this);
      } while (this.pos < end && this.nextField(end) !== 0);
    }
    this.pos = pos;
    this.type = type;
    this.#end = outer;
  }

  /** The bytes at `places` as a text of one unit a byte. */
  bytesAt(places: readonly number[]): string {
    let text = "";
    for (let place = 0; place < places.length; place += 2) {
      const part = this.#bytes.toString("latin1", places[place] ?? 0, places[place + 1] ?? 0);
      text = place === 0 ? part : `${text}\0${part}`;
    }
    return text;
  }

  /** Reads a length, and says where that many bytes end. @throws {Refusal} 400 when they are not all there */
  #lengthEnd(): number {
    const end = this.readVarint() + this.pos;
    // Not `>`: a varint that is cut short is no number.
    if (!(end <= this.#end)) throw unreadable("protobuf");
    return end;
  }

  /** A text cut to `limit` UTF-16 units; `""` for no text. @throws {Refusal} 400 */
  text(limit: number): string {
    if (this.type !== BYTES) return "";
    const end = this.#lengthEnd();
    const start = this.pos;
    this.pos = end;
    return this.#clipped(start, end, limit);
  }

  /** A name of an attribute, of which there are few. @throws {Refusal} 400 */
  key(): string {
    if (this.type !== BYTES) return "";
    const end = this.#lengthEnd();
    const start = this.pos;
    this.pos = end;
    return keyText(this.#bytes, start, end) ?? this.#clipped(start, end, LIMITS.name);
  }

  #clipped(start: number, end: number, limit: number): string {
    const shown = Math.min(end, start + MAX_BYTES_PER_UNIT * (limit + 1));
    return cleanText(this.#bytes.toString("utf8", start, shown), limit);
  }

  /** Hex digits; `""` when unset or all zero. @throws {Refusal} 400 */
  id(): string {
    if (this.type !== BYTES) return "";
    const end = this.#lengthEnd();
    const start = this.pos;
    this.pos = end;
    const hex = this.#bytes.toString("hex", start, Math.min(end, start + MAX_ID_BYTES));
    return NO_ID.test(hex) ? "" : hex;
  }

  /** Bytes as base64, of at most `limit` characters. @throws {Refusal} 400 */
  base64(limit: number): string {
    if (this.type !== BYTES) return "";
    const end = this.#lengthEnd();
    const start = this.pos;
    this.pos = end;
    // Whole groups of three bytes, so that the cut text still decodes.
    const maxBytes = Math.floor(limit / 4) * 3;
    return this.#bytes.toString("base64", start, Math.min(end, start + maxBytes));
  }

  /** A time in nanoseconds since 1970, to the last digit; 0 when unset. */
  nanos(): bigint {
    return this.type === FIXED64 ? this.exactFixed64() : 0n;
  }

  /** A time in milliseconds since 1970 with microseconds, of nanoseconds; 0 when unset. */
  millis(): number {
    return this.type === FIXED64 ? microsOf(this.readFixed64()) / 1000 : 0;
  }

  /** A count; 0 when unset. Beyond 2^53 the nearest that a double holds. */
  count(): number {
    return this.type === FIXED64 ? this.readFixed64() : 0;
  }

  /** A whole number with a sign; null for what is none. */
  whole(): number | null {
    return this.type === FIXED64 ? this.readSFixed64() : null;
  }

  /** A zigzag number; 0 when unset. */
  sint(): number {
    return this.type === VARINT ? this.readSVarint() : 0;
  }

  /** Adds doubles to a list, packed or not. @throws {Refusal} 400 */
  doubles(list: number[]): void {
    this.#readNumbers(list, FIXED64, () => this.readDouble());
  }

  /** Adds `fixed64` to a list, packed or not. @throws {Refusal} 400 */
  fixed64s(list: number[]): void {
    this.#readNumbers(list, FIXED64, () => this.readFixed64());
  }

  /** Adds varints to a list, packed or not. @throws {Refusal} 400, 413 when a request has too many */
  varints(list: number[]): void {
    this.#readNumbers(list, VARINT, () => this.readVarint());
  }

  /** Adds zigzag numbers to a list, packed or not. @throws {Refusal} as `varints()` */
  sints(list: number[]): void {
    this.#readNumbers(list, VARINT, () => this.readSVarint());
  }

  /** Stops when the list is longer than any may be, which is seen by its length: what is left is passed over. */
  #readNumbers(list: number[], single: number, read: () => number): void {
    const before = list.length;
    if (before > LIMITS.numbers) return;
    if (this.type === single) {
      list.push(read());
    } else if (this.type === BYTES) {
      const end = this.#lengthEnd();
      while (this.pos < end && list.length <= LIMITS.numbers) list.push(read());
      if (list.length > LIMITS.numbers) this.pos = end;
      if (this.pos !== end) throw unreadable("protobuf");
    }
    this.#numbers += list.length - before;
    if (this.#numbers > LIMITS.requestNumbers) throw tooManyParts();
  }

  /** An enum, a count or flags; 0 when unset. */
  uint(): number {
    if (this.type === VARINT) return this.readVarint();
    return this.type === FIXED32 ? this.readFixed32() : 0;
  }

  /** A truth value. */
  bool(): boolean {
    return this.type === VARINT && this.readVarint() !== 0;
  }

  /** A number, or null for what is none. */
  double(): number | null {
    return this.type === FIXED64 ? this.readDouble() : null;
  }

  /** A whole number; its decimal digits where a double would not hold them all; null for what is none. */
  int64(): number | string | null {
    if (this.type !== VARINT) return null;
    const start = this.pos;
    const number = this.readVarint(true);
    return Number.isSafeInteger(number) ? number : String(this.#wide(start));
  }

  /** The next varint, exact and with sign, whatever the wire type. */
  exactInt64(): bigint {
    const start = this.pos;
    const number = this.readVarint(true);
    return Number.isSafeInteger(number) ? BigInt(number) : this.#wide(start);
  }

  /** The next eight bytes, exact and without sign, whatever the wire type. */
  exactFixed64(): bigint {
    const low = this.readFixed32();
    return BigInt(this.readFixed32()) << 32n | BigInt(low);
  }

  /** The varint from `start` to here. */
  #wide(start: number): bigint {
    let value = 0n;
    for (let at = start, shift = 0n; at < this.pos; at++, shift += 7n) {
      value |= BigInt((this.buf[at] ?? 0) & 0x7f) << shift;
    }
    return BigInt.asIntN(64, value);
  }
}

/** Where a message begins whose length of a byte or two stands at a place. */
export function shortMessageStart(buf: Uint8Array, at: number): number {
  return (buf[at] ?? 0) > 127 ? at + 2 : at + 1;
}

/** Where such a message ends; 0 when its length has more bytes, or it is not all there. */
export function shortMessageEnd(buf: Uint8Array, at: number): number {
  const first = buf[at] ?? 0;
  const second = buf[at + 1] ?? 0;
  if (first > 127 && second > 127) return 0;
  const end = first > 127 ? at + 2 + ((first & 127) | second << 7) : at + 1 + first;
  return end > buf.length ? 0 : end;
}

/**
 * Names of attributes by their bytes. A process sees the same few hundred all day, and decoding one anew costs more than
 * all the rest of its attribute.
 */

/** Longer names are decoded every time. */
const MAX_BYTES = 48;
/** A power of two; names that fall on the same place take turns. */
const PLACES = 2_048;

const bytes = new Uint8Array(PLACES * MAX_BYTES);
const texts: string[] = new Array(PLACES).fill("");

/**
 * The text of the bytes `[start, end)` when all of them are visible ASCII and few; null for others.
 */
function keyText(source: Uint8Array, start: number, end: number): string | null {
  const length = end - start;
  if (length > MAX_BYTES) return null;
  let hash = length;
  for (let at = start; at < end; at++) {
    const byte = source[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e) return null;
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
  const known = texts[place] ?? "";
  if (known.length === length && isSame(source, start, place * MAX_BYTES, length)) return known;
  return remember(source.subarray(start, end), place);
}

function isSame(source: Uint8Array, start: number, offset: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (source[start + i] !== bytes[offset + i]) return false;
  return true;
}

function remember(key: Uint8Array, place: number): string {
  bytes.set(key, place * MAX_BYTES);
  const text = String.fromCharCode(...key);
  texts[place] = text;
  return text;
}
