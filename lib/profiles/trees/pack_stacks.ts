/**
 * Stacks as the object store keeps them. A byte for the version, then zlib (RFC 1950, whose checksum tells damage) of
 * numbers column by column, each text once. What the version means never changes; another layout is another version.
 */
import { deflateSync, inflateSync } from "node:zlib";
import type { ValueType } from "../../formats/pprof/profile.ts";
import type { Frame, StackProfile } from "./stacks.ts";

const VERSION = 1;
/** Higher levels save some percent for several times the processor time. */
const LEVEL = 4;
/** In the order of their numbers. */
const IN_APP = [null, false, true] as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Packs stacks. Text that is no well-formed Unicode comes back with U+FFFD in it. */
export function packStacks(stacks: StackProfile): Uint8Array {
  const out = new VarintWriter();
  const texts = new Texts();
  const { types, frames, parents, nodeFrames, selfs, profiles, durationNanos } = stacks;
  const typeTexts = types.flatMap(({ type, unit }) => [texts.place(type), texts.place(unit)]);
  const frameTexts = frames.flatMap(({ name, file, module }) =>
    [name, file, module].map((text) => texts.place(text))
  );
  texts.write(out);
  out.number(profiles);
  out.signed(durationNanos);
  writeList(out, typeTexts);
  writeList(out, frameTexts);
  for (const { line, isInApp } of frames) out.number(line * 3 + IN_APP.indexOf(isInApp));
  out.number(parents.length);
  // Mostly 1: a node stands right behind its parent, or behind what is below its elder sibling.
  for (let node = 1; node < parents.length; node++) out.number(node - (parents[node] as number));
  for (const frame of nodeFrames) out.number(frame);
  for (const column of selfs) for (const value of column) out.signed(value);
  const packed = deflateSync(out.finish(), { level: LEVEL });
  const bytes = new Uint8Array(1 + packed.length);
  bytes[0] = VERSION;
  bytes.set(packed, 1);
  return bytes;
}

/** The stacks of a packed form. @throws {Error} when it is damaged, or of a version that is not known */
export function unpackStacks(bytes: Uint8Array): StackProfile {
  if (bytes[0] !== VERSION) throw new Error(`Packed stacks have the unknown version ${bytes[0]}`);
  try {
    return readStacks(new VarintReader(inflateSync(bytes.subarray(1))));
  } catch (cause) {
    throw new Error("Packed stacks are damaged", { cause });
  }
}

function readStacks(input: VarintReader): StackProfile {
  const texts = readTexts(input);
  const profiles = input.number();
  const durationNanos = input.signed();
  const typeTexts = readList(input, texts);
  const frameTexts = readList(input, texts);
  const types = Array.from({ length: typeTexts.length / 2 }, (_, place): ValueType => ({
    type: typeTexts[place * 2] as string,
    unit: typeTexts[place * 2 + 1] as string,
  }));
  const frames = Array.from({ length: frameTexts.length / 3 }, (_, place): Frame => {
    const rest = input.number();
    return {
      name: frameTexts[place * 3] as string,
      file: frameTexts[place * 3 + 1] as string,
      module: frameTexts[place * 3 + 2] as string,
      line: Math.floor(rest / 3),
      isInApp: IN_APP[rest % 3] as boolean | null,
    };
  });
  const count = input.number(2 ** 32);
  const parents = new Uint32Array(count);
  for (let node = 1; node < count; node++) {
    const above = input.number(node);
    if (above === 0) throw new RangeError("node above itself");
    parents[node] = node - above;
  }
  const nodeFrames = new Uint32Array(count);
  for (let node = 0; node < count; node++) nodeFrames[node] = input.number(frames.length - 1);
  const selfs = types.map(() => {
    const column = new BigInt64Array(count);
    for (let node = 0; node < count; node++) column[node] = input.signed();
    return column;
  });
  if (!input.isAtEnd) throw new RangeError("bytes left over");
  return { types, frames, parents, nodeFrames, selfs, profiles, durationNanos };
}

/** Texts, each once. */
class Texts {
  readonly #places = new Map<string, number>();

  place(text: string): number {
    const place = this.#places.get(text) ?? this.#places.size;
    this.#places.set(text, place);
    return place;
  }

  write(out: VarintWriter): void {
    out.number(this.#places.size);
    for (const text of this.#places.keys()) {
      const bytes = encoder.encode(text);
      out.number(bytes.length);
      out.bytes(bytes);
    }
  }
}

function readTexts(input: VarintReader): string[] {
  const texts: string[] = [];
  for (let left = input.number(); left > 0; left--) {
    texts.push(decoder.decode(input.bytes(input.number())));
  }
  return texts;
}

function writeList(out: VarintWriter, places: readonly number[]): void {
  out.number(places.length);
  for (const place of places) out.number(place);
}

function readList(input: VarintReader, texts: readonly string[]): string[] {
  const list: string[] = [];
  for (let left = input.number(); left > 0; left--) {
    list.push(texts[input.number(texts.length - 1)] as string);
  }
  return list;
}

/** 2^53: from here on numbers are no longer exact. */
const LIMIT = 9007199254740992n;

/** Appends whole numbers to bytes as LEB128: of trees of stacks most take one byte. */
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
