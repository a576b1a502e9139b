/**
 * Stacks as the object store keeps them. A byte for the version, then zlib (RFC 1950, whose checksum tells damage) of
 * numbers column by column, each text once. What the version means never changes; another layout is another version.
 */
import { deflateSync, inflateSync } from "node:zlib";
import { ByteReader, ByteWriter } from "../../core/bytes.ts";
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
  const out = new ByteWriter();
  const texts = new Texts();
  const { types, frames, parents, nodeFrames, selfs, profiles, durationNanos } = stacks;
  const typeTexts = types.flatMap(({ type, unit }) => [texts.place(type), texts.place(unit)]);
  const frameTexts = frames.flatMap(({ name, file, module }) =>
    [name, file, module].map((text) => texts.place(text))
  );
  texts.write(out);
  out.varint(profiles);
  out.int64(durationNanos);
  writeList(out, typeTexts);
  writeList(out, frameTexts);
  for (const { line, isInApp } of frames) out.varint(line * 3 + IN_APP.indexOf(isInApp));
  out.varint(parents.length);
  // Mostly 1: a node stands right behind its parent, or behind what is below its elder sibling.
  for (let node = 1; node < parents.length; node++) out.varint(node - (parents[node] as number));
  for (const frame of nodeFrames) out.varint(frame);
  for (const column of selfs) for (const value of column) out.int64(value);
  const packed = deflateSync(out.written(), { level: LEVEL });
  const bytes = new Uint8Array(1 + packed.length);
  bytes[0] = VERSION;
  bytes.set(packed, 1);
  return bytes;
}

/** The stacks of a packed form. @throws {Error} when it is damaged, or of a version that is not known */
export function unpackStacks(bytes: Uint8Array): StackProfile {
  if (bytes[0] !== VERSION) throw new Error(`Packed stacks have the unknown version ${bytes[0]}`);
  try {
    return readStacks(new ByteReader(inflateSync(bytes.subarray(1))));
  } catch (cause) {
    throw new Error("Packed stacks are damaged", { cause });
  }
}

function readStacks(input: ByteReader): StackProfile {
  const texts = readTexts(input);
  const profiles = input.varint();
  const durationNanos = input.int64();
  const typeTexts = readList(input, texts);
  const frameTexts = readList(input, texts);
  const types = Array.from({ length: typeTexts.length / 2 }, (_, place): ValueType => ({
    type: typeTexts[place * 2] as string,
    unit: typeTexts[place * 2 + 1] as string,
  }));
  const frames = Array.from({ length: frameTexts.length / 3 }, (_, place): Frame => {
    const rest = input.varint();
    return {
      name: frameTexts[place * 3] as string,
      file: frameTexts[place * 3 + 1] as string,
      module: frameTexts[place * 3 + 2] as string,
      line: Math.floor(rest / 3),
      isInApp: IN_APP[rest % 3] as boolean | null,
    };
  });
  const count = input.varint(2 ** 32);
  const parents = new Uint32Array(count);
  for (let node = 1; node < count; node++) {
    const above = input.varint(node);
    if (above === 0) throw new RangeError("node above itself");
    parents[node] = node - above;
  }
  const nodeFrames = new Uint32Array(count);
  for (let node = 0; node < count; node++) nodeFrames[node] = input.varint(frames.length - 1);
  const selfs = types.map(() => {
    const column = new BigInt64Array(count);
    for (let node = 0; node < count; node++) column[node] = input.int64();
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

  write(out: ByteWriter): void {
    out.varint(this.#places.size);
    for (const text of this.#places.keys()) {
      const bytes = encoder.encode(text);
      out.varint(bytes.length);
      out.bytes(bytes);
    }
  }
}

function readTexts(input: ByteReader): string[] {
  const texts: string[] = [];
  for (let left = input.varint(); left > 0; left--) {
    texts.push(decoder.decode(input.bytes(input.varint())));
  }
  return texts;
}

function writeList(out: ByteWriter, places: readonly number[]): void {
  out.varint(places.length);
  for (const place of places) out.varint(place);
}

function readList(input: ByteReader, texts: readonly string[]): string[] {
  const list: string[] = [];
  for (let left = input.varint(); left > 0; left--) {
    list.push(texts[input.varint(texts.length - 1)] as string);
  }
  return list;
}
