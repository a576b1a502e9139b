import { PbfWriter } from "pbf";
import { seededHash } from "../../core/seeded_hash.ts";
import type { ValueType } from "./profile.ts";

const LOW_32_BITS = 0xffff_ffffn;

/** What a profile says of itself. */
export interface PprofHead {
  readonly sampleTypes: readonly ValueType[];
  /** In nanoseconds since 1970; 0 when unknown. */
  readonly timeNanos: bigint;
  /** 0 for a snapshot. */
  readonly durationNanos: bigint;
  readonly periodType?: ValueType;
  /** In the unit of `periodType`. */
  readonly period?: bigint;
  readonly defaultSampleType?: string;
  readonly comments?: readonly string[];
}

/** A label of a sample: a text, or a number. */
export type PprofLabel =
  | { readonly key: string; readonly text: string }
  | { readonly key: string; readonly number: bigint; readonly unit?: string };

/** A line of a location, of a function that {@linkcode PprofBuilder.function} returned. */
interface BuilderLine {
  readonly function: number;
  /** From 1; 0 when unknown. */
  readonly line: number;
  readonly column: number;
}

/**
 * Builds a profile in pprof's format. Functions, mappings and locations that are the same are written once; their
 * methods return ids, which count from 1. What is added is written at once, so that a large profile is no large pile
 * of objects.
 */
export class PprofBuilder {
  readonly #head: PprofHead;
  readonly #strings = new Map<string, number>([["", 0]]);
  readonly #functions = new RowIndex();
  readonly #locations = new RowIndex();
  readonly #mappings = new RowIndex();
  readonly #writers = {
    samples: new WireWriter(),
    mappings: new WireWriter(),
    locations: new WireWriter(),
    functions: new WireWriter(),
  };

  constructor(head: PprofHead) {
    this.#head = head;
  }

  /** Adds a function. @returns its id */
  function(
    name: string,
    file: string,
    { systemName = name, startLine = 0 }: { systemName?: string; startLine?: number } = {},
  ): number {
    const nameText = this.#text(name);
    const systemText = systemName === name ? nameText : this.#text(systemName);
    const row = [nameText, systemText, this.#text(file), startLine];
    return added(this.#functions, row, (id) => {
      this.#writers.functions.messageField(5, (writer) => writeNumbers(writer, [id, ...row]));
    });
  }

  /** Adds a binary, or what else functions belong to. @returns its id */
  mapping(filename: string, buildId = ""): number {
    const texts = [this.#text(filename), this.#text(buildId)] as const;
    return added(this.#mappings, texts, (id) => {
      this.#writers.mappings.messageField(3, (writer) => {
        writer.numberField(1, id);
        writer.numberField(5, texts[0]);
        writer.numberField(6, texts[1]);
        // It has functions, files, lines and inlined frames: readers shall not look for them elsewhere.
        for (const flag of [7, 8, 9, 10]) writer.numberField(flag, 1);
      });
    });
  }

  /**
   * Adds a location.
   *
   * @param lines the innermost inlined function first, the one that is really called last; none when it is not symbolised
   * @param place its mapping as {@linkcode mapping} returned it, and its address
   * @returns its id
   */
  location(
    lines: readonly BuilderLine[],
    { mapping = 0, address = 0n }: { mapping?: number; address?: bigint } = {},
  ): number {
    const row = [mapping, Number(address >> 32n), Number(address & LOW_32_BITS)];
    for (const line of lines) row.push(line.function, line.line, line.column);
    return added(this.#locations, row, (id) => {
      this.#writers.locations.messageField(4, (writer) => {
        writer.numberField(1, id);
        writer.numberField(2, mapping);
        writer.int64Field(3, address);
        for (const { function: id, line, column } of lines) {
          writer.messageField(4, (inner) => writeNumbers(inner, [id, line, column]));
        }
      });
    });
  }

  /**
   * Adds a sample.
   *
   * @param locations ids that {@linkcode location} returned, the leaf first
   * @param values one for each sample type, in their order
   * @throws {RangeError} for another number of values
   */
  sample(
    locations: readonly number[],
    values: readonly bigint[],
    labels: readonly PprofLabel[] = [],
  ): void {
    const types = this.#head.sampleTypes.length;
    if (values.length !== types) {
      throw new RangeError(`A sample of ${types} types cannot have ${values.length} values`);
    }
    this.#writers.samples.messageField(2, (writer) => {
      // The type is that of a list that may be changed, which it is not.
      writer.writePackedVarint(1, locations as number[]);
      writer.int64Fields(2, values);
      for (const label of labels) writer.messageField(3, (inner) => this.#writeLabel(inner, label));
    });
  }

  /** The profile so far. @returns plain protobuf, to be compressed by gzip */
  toBytes(): Uint8Array {
    // Some readers want to see one.
    if (this.#mappings.count === 0) this.mapping("");
    const { samples, mappings, locations, functions } = this.#writers;
    const writer = new WireWriter();
    for (const type of this.#head.sampleTypes) this.#writeType(writer, 1, type);
    for (const part of [samples, mappings, locations, functions]) {
      writer.append(part.buf.subarray(0, part.pos));
    }
    this.#writeHead(writer);
    // Last, when no text is added any more.
    for (const text of this.#strings.keys()) writer.textField(6, text);
    return writer.finish();
  }

  #writeHead(writer: WireWriter): void {
    const { timeNanos, durationNanos, periodType, period = 0n } = this.#head;
    writer.int64Field(9, timeNanos);
    writer.int64Field(10, durationNanos);
    if (periodType !== undefined) this.#writeType(writer, 11, periodType);
    writer.int64Field(12, period);
    const comments = (this.#head.comments ?? []).map((text) => this.#text(text));
    writer.writePackedVarint(13, comments);
    writer.numberField(14, this.#text(this.#head.defaultSampleType ?? ""));
  }

  #writeType(writer: WireWriter, field: number, { type, unit }: ValueType): void {
    writer.messageField(field, (inner) => {
      inner.numberField(1, this.#text(type));
      inner.numberField(2, this.#text(unit));
    });
  }

  #writeLabel(writer: WireWriter, label: PprofLabel): void {
    writer.numberField(1, this.#text(label.key));
    if ("text" in label) {
      writer.numberField(2, this.#text(label.text));
    } else {
      writer.int64Field(3, label.number);
      writer.numberField(4, this.#text(label.unit ?? ""));
    }
  }

  #text(text: string): number {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    const number = this.#strings.size;
    this.#strings.set(text, number);
    return number;
  }
}

/** Finds the number of a row, or adds it and writes what it stands for. */
function added(rows: RowIndex, row: readonly number[], write: (number: number) => void): number {
  const before = rows.count;
  const number = rows.numberOf(row);
  if (number > before) write(number);
  return number;
}

/** Writes the fields 1, 2 and so on. */
function writeNumbers(writer: WireWriter, values: readonly number[]): void {
  for (let at = 0; at < values.length; at++) writer.numberField(at + 1, values[at] as number);
}

/**
 * Numbers rows of numbers in the order in which they first come. Texts as keys of a map would take several times as
 * long: each would have to be written first.
 */
export class RowIndex {
  /** Different rows so far: the last number that was given. */
  count = 0;
  #values = new Float64Array(256);
  /** Where each row's values end; those of row 1 begin at 0. */
  #ends = new Uint32Array(64);
  /** Rows by hash with open addressing; 0 is free. */
  #slots = new Uint32Array(128);

  /** @param row of any length, whole numbers up to 2^53 @returns its number, from 1; above all others for a new one */
  numberOf(row: readonly number[]): number {
    let slot = hashOf(row) & (this.#slots.length - 1);
    for (;;) {
      const known = this.#slots[slot] as number;
      if (known === 0) break;
      if (this.#holds(known, row)) return known;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    this.#slots[slot] = this.#add(row);
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return this.count;
  }

  #holds(number: number, row: readonly number[]): boolean {
    const start = this.#ends[number - 1] as number;
    if ((this.#ends[number] as number) - start !== row.length) return false;
    for (let at = 0; at < row.length; at++) {
      if (this.#values[start + at] !== row[at]) return false;
    }
    return true;
  }

  #add(row: readonly number[]): number {
    const start = this.#ends[this.count] as number;
    const end = start + row.length;
    if (end > this.#values.length) {
      const values = new Float64Array(2 * end);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values.set(row, start);
    this.count++;
    if (this.count === this.#ends.length) {
      const ends = new Uint32Array(2 * this.count);
      ends.set(this.#ends);
      this.#ends = ends;
    }
    this.#ends[this.count] = end;
    return this.count;
  }

  #rehash(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 1; number <= this.count; number++) {
      const row = this.#values.subarray(this.#ends[number - 1], this.#ends[number]);
      let slot = hashOf(row) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}

function hashOf(row: ArrayLike<number>): number {
  let hash = row.length;
  for (let at = 0; at < row.length; at++) hash = seededHash(hash, row[at] as number);
  return hash;
}

const BYTES = 2;
const LOW_7_BITS = 0x7fn;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Writes protobuf with exact numbers of 64 bits. What is 0 or `""` is left out, as everywhere in proto3. */
class WireWriter extends PbfWriter {
  /** Writes a field of a number. @param value of 64 bits, with or without sign */
  int64Field(field: number, value: bigint): void {
    if (value === 0n) return;
    this.writeTag(field, 0);
    this.int64(value);
  }

  /** Writes a field of a number. @param value a whole number up to 2^53 */
  numberField(field: number, value: number): void {
    if (value === 0) return;
    this.writeTag(field, 0);
    this.writeVarint(value);
  }

  /** Writes a field of a list of numbers, packed. */
  int64Fields(field: number, values: readonly bigint[]): void {
    this.writeMessage(field, writeAll, values);
  }

  /** Writes a field that holds what another writer wrote. */
  messageField(field: number, write: (writer: WireWriter) => void): void {
    this.writeMessage(field, (_, writer) => write(writer as WireWriter), null);
  }

  /** Writes a number without a tag. */
  int64(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    if (rest <= MAX_SAFE) return this.writeVarint(Number(rest));
    this.realloc(10);
    for (; rest > LOW_7_BITS; rest >>= 7n) this.buf[this.pos++] = Number(rest & LOW_7_BITS) | 0x80;
    this.buf[this.pos++] = Number(rest);
  }

  /** Writes what another writer wrote, as it is. */
  append(bytes: Uint8Array): void {
    this.realloc(bytes.length);
    this.buf.set(bytes, this.pos);
    this.pos += bytes.length;
  }

  /** Writes a field of a text, which may be empty. */
  textField(field: number, text: string): void {
    this.writeTag(field, BYTES);
    this.writeString(text);
  }
}

function writeAll(values: readonly bigint[], writer: PbfWriter): void {
  for (const value of values) (writer as WireWriter).int64(value);
}

/** Lines beyond are none; pprof keeps columns above them. */
const MAX_LINE = 0x7fffffff;

/** A line or column as a pprof may have it; 0 for what is none. */
export function lineNumber(sent: number): number {
  return sent <= MAX_LINE ? sent : 0;
}
