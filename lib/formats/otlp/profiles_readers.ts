import { Buffer } from "node:buffer";
import { asObject, readInteger } from "../fields.ts";
import { type Json, put } from "../json.ts";
import { field, JsonFields, objectsIn, textOf, valueOf } from "./json.ts";
import type { FieldReader, Message } from "./message.ts";
import { type Attributed, cleanText } from "./model.ts";
import type { Budget } from "./profiles_limits.ts";
import { newSample, type OtlpSample } from "./profiles_model.ts";
import { BYTES, FIXED64, VARINT } from "./proto_reader.ts";
import { ProtoFields, readValue } from "./proto_values.ts";
import { LIMITS } from "./request.ts";

/**
 * What tables of profiles ask for beside what all of OTLP has. Places in tables are read by `uint()`; values and
 * attributes may be places in the dictionary's texts.
 */
export interface ProfileFields extends FieldReader {
  readonly budget: Budget;
  /** Whether the field is a list, or as long as its length says in protobuf. */
  readonly isList: boolean;
  /** Adds places in a table. @returns the list, or a new one in its place @throws {Refusal} 413 for too many */
  places(list: number[]): number[];
  /** An exact number with sign; 0 when unset. */
  bigInt64(): bigint;
  /** The same without sign. */
  bigUint64(): bigint;
  /** An id of 16 bytes as hex digits, or `""`. */
  profileId(): string;
  /** Bytes, or null for none. */
  bytes(): Uint8Array | null;
  /** A message, or null for none. */
  optional<T>(fields: Message<T, this>, target: T): T | null;
  /** Calls `add` for every row of a table: one that is none keeps its place, since others are named by theirs. */
  rows<T>(add: (target: T, from: this) => void, target: T): void;
  /** A text of the dictionary, cut to `limit` UTF-16 units. */
  tableText(limit: number): string;
  /** Reads a sample: there are more of them than of all else. @throws {Refusal} 413 for one too many */
  sample(): OtlpSample;
}

/** Reads profiles in protobuf. @throws {Refusal} 413 when there is too much of anything */
export class ProtoProfileFields extends ProtoFields implements ProfileFields {
  readonly #texts: readonly string[];

  constructor(bytes: Uint8Array, readonly budget: Budget, texts: readonly string[]) {
    super(bytes);
    this.#texts = texts;
  }

  get isList(): boolean {
    return this.type === BYTES;
  }

  override inner<T>(fields: Message<T, this>, target: T): T {
    this.budget.part();
    return this.table(fields.byNumber, target);
  }

  optional<T>(fields: Message<T, this>, target: T): T {
    return this.inner(fields, target);
  }

  rows<T>(add: (target: T, from: this) => void, target: T): void {
    this.each(add, target);
  }

  sample(): OtlpSample {
    this.budget.sample();
    this.budget.part();
    return this.message(sampleField, newSample());
  }

  profileId(): string {
    return this.id();
  }

  /** A text of the dictionary. */
  tableText(limit: number): string {
    this.budget.part();
    return this.text(limit);
  }

  override value(): Json {
    if (!this.isMessage) return null;
    const start = this.pos;
    const value = readValue(this);
    if (value !== null) return value;
    // Once more for the one field that no other signal has.
    this.pos = start;
    this.type = BYTES;
    this.budget.part();
    const { place } = this.message((field, target: { place: number }, inner) => {
      if (field === 8) target.place = inner.uint();
    }, { place: 0 });
    return this.#texts[place] || null;
  }

  override attributes(target: Attributed): void {
    if (!this.isMessage) return;
    this.budget.part();
    const { key, value } = this.message((field, pair: { key: string; value: Json }, inner) => {
      if (field === 1) pair.key = inner.key();
      else if (field === 2) pair.value = inner.value();
      else if (field === 3) pair.key = cleanText(this.#texts[inner.uint()] ?? "", LIMITS.name);
    }, { key: "", value: null });
    if (key === "") return;
    if (target.attributeCount === LIMITS.attributes) {
      target.droppedAttributes++;
      return;
    }
    put(target.attributes, key, value);
    target.attributeCount++;
  }

  places(list: number[]): number[] {
    return this.#listed(list, VARINT, readPlace);
  }

  /** Adds exact numbers with sign, packed or one at a time. @throws {Refusal} 413 */
  int64s(list: bigint[]): void {
    this.#listed(list, VARINT, readInt64);
  }

  /** Adds times in nanoseconds, packed or one at a time. @throws {Refusal} 413 */
  times(list: bigint[]): void {
    this.#listed(list, FIXED64, readTime);
  }

  /** An exact number with sign; 0 when unset. */
  bigInt64(): bigint {
    return this.type === VARINT ? this.exactInt64() : 0n;
  }

  /** An exact number without sign; 0 when unset. */
  bigUint64(): bigint {
    return BigInt.asUintN(64, this.bigInt64());
  }

  /** A time in nanoseconds, of a fixed size or not; 0 when unset. */
  override nanos(): bigint {
    return this.type === FIXED64 ? this.exactFixed64() : this.bigUint64();
  }

  /** A view of bytes; null for none. @throws {Refusal} 400 */
  bytes(): Uint8Array | null {
    if (this.type !== BYTES) return null;
    const end = this.readVarint() + this.pos;
    const bytes = this.buf.subarray(this.pos, end);
    this.pos = end;
    return bytes;
  }

  /** Reads numbers into a list, packed or one at a time. */
  #listed<T>(list: T[], single: number, read: (reader: ProtoProfileFields) => T): T[] {
    if (this.type === single) list.push(read(this));
    else if (this.type === BYTES) {
      const end = this.readVarint() + this.pos;
      while (this.pos < end) {
        // Beyond the body there are no bytes that could end a number, nor any of a fixed size.
        if (this.pos >= this.length) throw new RangeError("a list goes on beyond the body");
        list.push(read(this));
      }
      if (this.pos !== end) throw new RangeError("a list ends within a number");
    }
    return list;
  }
}

function sampleField(field: number, sample: OtlpSample, from: ProtoProfileFields): void {
  switch (field) {
    case 1:
      sample.stack = from.uint();
      break;
    case 2:
      from.places(sample.attributes);
      break;
    case 3:
      // It was a list, of attributes, until March 2026; and the next one was no list, but the link.
      if (from.isList) sample.isOlder = true;
      sample.link = from.uint();
      break;
    case 4:
      if (!from.isList) sample.isOlder = true;
      from.int64s(sample.values);
      break;
    case 5:
      from.times(sample.times);
  }
}

function readPlace(reader: ProtoProfileFields): number {
  reader.budget.places();
  return reader.readVarint();
}

function readInt64(reader: ProtoProfileFields): bigint {
  reader.budget.values();
  return reader.exactInt64();
}

function readTime(reader: ProtoProfileFields): bigint {
  reader.budget.values();
  return reader.exactFixed64();
}

/** Reads profiles in JSON. @throws {Refusal} 413 when there is too much of anything */
export class JsonProfileFields extends JsonFields implements ProfileFields {
  readonly #texts: readonly string[];

  constructor(readonly budget: Budget, texts: readonly string[]) {
    super();
    this.#texts = texts;
  }

  get isList(): boolean {
    return Array.isArray(this.sent);
  }

  optional<T>(fields: Message<T, this>, target: T): T | null {
    return asObject(this.sent) === undefined ? null : this.inner(fields, target);
  }

  rows<T>(add: (target: T, from: this) => void, target: T): void {
    if (!Array.isArray(this.sent)) return;
    for (const row of this.sent) {
      this.sent = row;
      add(target, this);
    }
  }

  /** Not counted: samples are parts, of which JSON has few enough. */
  sample(): OtlpSample {
    const raw = asObject(this.sent) ?? {};
    return {
      stack: placeOf(field(raw, "stackIndex")),
      link: placeOf(field(raw, "linkIndex")),
      attributes: this.#placesOf(field(raw, "attributeIndices")),
      values: this.#int64sOf(raw.values),
      times: this.#int64sOf(field(raw, "timestampsUnixNano")),
      isOlder: false,
    };
  }

  profileId(): string {
    return profileIdOf(this.sent);
  }

  tableText(limit: number): string {
    return this.text(limit);
  }

  override uint(): number {
    return placeOf(this.sent);
  }

  override nanos(): bigint {
    return this.bigUint64();
  }

  bigInt64(): bigint {
    return int64Of(this.sent);
  }

  bigUint64(): bigint {
    return BigInt.asUintN(64, this.bigInt64());
  }

  /** Standard or URL-safe base64. */
  bytes(): Uint8Array | null {
    const { sent } = this;
    if (typeof sent !== "string" || sent === "") return null;
    return new Uint8Array(Buffer.from(sent, "base64"));
  }

  places(list: number[]): number[] {
    const more = this.#placesOf(this.sent);
    // Mostly there is nothing yet, and no list has to grow.
    return list.length === 0 ? more : [...list, ...more];
  }

  /** What is no place leads nowhere. */
  #placesOf(sent: unknown): number[] {
    if (!Array.isArray(sent)) return [];
    this.budget.places(sent.length);
    return sent.map((place: unknown) => readInteger(place) ?? Infinity);
  }

  #int64sOf(sent: unknown): bigint[] {
    if (!Array.isArray(sent)) return [];
    this.budget.values(sent.length);
    return sent.map(int64Of);
  }

  override value(): Json {
    return this.#valueOf(this.sent);
  }

  #valueOf(sent: unknown): Json {
    const value = valueOf(sent);
    if (value !== null) return value;
    return this.#texts[placeOf(field(asObject(sent) ?? {}, "stringValueStrindex"))] || null;
  }

  override attributes(target: Attributed): void {
    for (const pair of objectsIn(this.sent).slice(0, LIMITS.attributes)) {
      const key = textOf(pair.key, LIMITS.name) ||
        cleanText(this.#texts[placeOf(field(pair, "keyStrindex"))] ?? "", LIMITS.name);
      if (key === "") continue;
      put(target.attributes, key, this.#valueOf(pair.value));
      target.attributeCount++;
    }
  }
}

function placeOf(value: unknown): number {
  return readInteger(value) ?? 0;
}

const INT64 = /^[+-]?\d{1,20}$/;
const UUID_HEX = /^[0-9a-f]{32}$/i;
const ZEROS = /^0*$/;
/** Of 16 bytes, the padding included. */
const BASE64_ID = 24;

/** An exact number of 64 bits, as a text or a number; 0 for what is none. */
function int64Of(value: unknown): bigint {
  if (typeof value === "number" && Number.isFinite(value)) {
    return BigInt.asIntN(64, BigInt(Math.trunc(value)));
  }
  return typeof value === "string" && INT64.test(value) ? BigInt.asIntN(64, BigInt(value)) : 0n;
}

/** An id of 16 bytes as hex digits, which collectors write, or base64; `""` for none. */
function profileIdOf(value: unknown): string {
  if (typeof value !== "string") return "";
  const hex = value.length === BASE64_ID ? Buffer.from(value, "base64").toString("hex") : value;
  return UUID_HEX.test(hex) && !ZEROS.test(hex) ? hex.toLowerCase() : "";
}
