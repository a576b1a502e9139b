import { Buffer } from "node:buffer";
import { ByteWriter } from "../../core/bytes.ts";
import { zstd } from "../../core/zstd.ts";
import { Bit, BLOCK, Head, IGNORED, MAGIC, Src, TABLE_VERSION } from "./map_table.ts";
import { readMap, type Section } from "./read_map.ts";
import { eachSegment, functionStarts, type Segment } from "./segments.ts";

/**
 * Makes the table of a source map, which `MapTable` reads. Takes a second or two for a map of 50 MB.
 *
 * @throws {BadMap} with a sentence
 */
export function compileMap(bytes: Uint8Array): Uint8Array {
  const sections = readMap(bytes);
  const names = new Names();
  const sources = new Sources(names);
  const blocks = new Blocks();
  for (const [place, section] of sections.entries()) {
    const firstSource = sources.count;
    const nameIds = section.names.map((name) => names.add(name));
    sources.add(section);
    const collected = collect(section, sections[place + 1]);
    for (const segment of collected.sorted()) {
      const known = segment.source < section.sources.length && segment.source >= 0;
      blocks.add({
        ...segment,
        source: known ? firstSource + segment.source : -1,
        name: known ? nameIds[segment.name] ?? -1 : -1,
      });
    }
  }
  return assembled(names, sources, blocks);
}

/** Fields of a segment. */
const WIDTH = 6;

/** Segments of a section that can be looked up: those that name what does not exist, and lie in the next section, are left out. */
function collect(section: Section, next: Section | undefined): Collected {
  const collected = new Collected();
  eachSegment(section.mappings, (segment) => {
    const line = section.line + segment.line;
    const column = segment.column + (segment.line === 0 ? section.column : 0);
    const isNegative = column < 0 || segment.sourceLine < 0 || segment.sourceColumn < 0;
    // A single field says that what follows is in no source.
    const isUnknown = segment.source !== -1 &&
      (segment.source < 0 || segment.source >= section.sources.length);
    const isForeign = next !== undefined &&
      (line > next.line || line === next.line && column >= next.column);
    if (!isNegative && !isUnknown && !isForeign) collected.add({ ...segment, line, column });
  });
  return collected;
}

class Collected {
  #ints = new Int32Array(WIDTH * 1024);
  #count = 0;
  #isSorted = true;

  add({ line, column, source, sourceLine, sourceColumn, name }: Segment): void {
    const at = this.#count * WIDTH;
    if (at === this.#ints.length) {
      const larger = new Int32Array(this.#ints.length * 2);
      larger.set(this.#ints);
      this.#ints = larger;
    }
    const ints = this.#ints;
    if (at > 0 && this.#isSorted) {
      const lastLine = ints[at - WIDTH] ?? 0;
      this.#isSorted = lastLine < line ||
        lastLine === line && (ints[at - WIDTH + 1] ?? 0) <= column;
    }
    ints[at] = line;
    ints[at + 1] = column;
    ints[at + 2] = source;
    ints[at + 3] = sourceLine;
    ints[at + 4] = sourceColumn;
    ints[at + 5] = name;
    this.#count++;
  }

  /** All of them by position; the object is always the same. */
  *sorted(): Generator<Segment> {
    const ints = this.#ints;
    const order = this.#isSorted ? null : this.#order();
    const segment = { line: 0, column: 0, source: 0, sourceLine: 0, sourceColumn: 0, name: 0 };
    for (let place = 0; place < this.#count; place++) {
      const at = (order?.[place] ?? place) * WIDTH;
      segment.line = ints[at] ?? 0;
      segment.column = ints[at + 1] ?? 0;
      segment.source = ints[at + 2] ?? 0;
      segment.sourceLine = ints[at + 3] ?? 0;
      segment.sourceColumn = ints[at + 4] ?? 0;
      segment.name = ints[at + 5] ?? 0;
      yield segment;
    }
  }

  #order(): Uint32Array {
    const ints = this.#ints;
    const value = (index: number, field: number) => ints[index * WIDTH + field] ?? 0;
    return Uint32Array.from({ length: this.#count }, (_, index) => index)
      .sort((a, b) => value(a, 0) - value(b, 0) || value(a, 1) - value(b, 1) || a - b);
  }
}

/** Texts, each once. */
class Names {
  readonly bytes = new ByteWriter();
  readonly offsets: number[] = [0];
  readonly #known = new Map<string, number>();

  add(name: string): number {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const index = this.offsets.length - 1;
    this.bytes.bytes(Buffer.from(name));
    this.offsets.push(this.bytes.length);
    this.#known.set(name, index);
    return index;
  }
}

/** Shorter texts do not get smaller. */
const MIN_PACKED = 200;

class Sources {
  readonly texts = new ByteWriter();
  readonly ints: number[] = [];
  readonly functions: number[] = [];
  readonly #names: Names;
  count = 0;

  constructor(names: Names) {
    this.#names = names;
  }

  add({ sources, contents, ignored, functions }: Section): void {
    for (const [index, source] of sources.entries()) {
      const named = functions[index] ?? null;
      const start = this.functions.length / 3;
      if (named !== null) {
        for (const { line, column, name } of functionStarts(named.mappings)) {
          if (column < 0) continue;
          this.functions.push(line, column, this.#names.add(named.names[name] ?? ""));
        }
      }
      this.ints.push(
        source === null ? -1 : this.#names.add(source),
        ...this.#text(contents[index] ?? null),
        ignored.has(index) ? IGNORED : 0,
        start,
      );
      this.count++;
    }
  }

  #text(text: string | null): [place: number, packedLength: number, length: number] {
    if (text === null) return [-1, 0, 0];
    const plain = Buffer.from(text);
    const packed = plain.length < MIN_PACKED ? plain : zstd(plain);
    const kept = packed.length < plain.length ? packed : plain;
    const place = this.texts.length;
    this.texts.bytes(kept);
    return [place, kept.length, plain.length];
  }
}

const NOWHERE: Segment = {
  line: 0,
  column: 0,
  source: 0,
  sourceLine: 0,
  sourceColumn: 0,
  name: 0,
};

class Blocks {
  readonly bytes = new ByteWriter();
  readonly index: number[] = [];
  #count = 0;
  #last: Segment = NOWHERE;
  #lastInSource: Segment = NOWHERE;

  add(segment: Segment): void {
    const { line, column, source, sourceLine, sourceColumn, name } = segment;
    if (this.#count++ % BLOCK === 0) {
      this.index.push(line, column, this.bytes.length);
      this.#last = { ...NOWHERE, line };
      this.#lastInSource = NOWHERE;
    }
    const { bytes } = this;
    const [last, before] = [this.#last, this.#lastInSource];
    const isNewLine = line !== last.line;
    const hasSource = source >= 0;
    bytes.byte(
      (isNewLine ? Bit.NewLine : 0) | (hasSource ? 0 : Bit.NoSource) |
        (hasSource && source !== before.source ? Bit.NewSource : 0) |
        (hasSource && name >= 0 ? Bit.Name : 0),
    );
    if (isNewLine) bytes.varint(line - last.line);
    bytes.varint(isNewLine ? column : column - last.column);
    this.#last = segment;
    if (!hasSource) return;
    if (source !== before.source) bytes.signed(source - before.source);
    bytes.signed(sourceLine - before.sourceLine);
    bytes.signed(sourceColumn - before.sourceColumn);
    if (name >= 0) bytes.signed(name - before.name);
    this.#lastInSource = name >= 0 ? segment : { ...segment, name: before.name };
  }
}

function assembled(names: Names, sources: Sources, blocks: Blocks): Uint8Array {
  const head = new Int32Array(Head.Length);
  head[Head.Magic] = MAGIC;
  head[Head.Version] = TABLE_VERSION;
  head[Head.Blocks] = blocks.index.length / 3;
  head[Head.Names] = names.offsets.length - 1;
  head[Head.Sources] = sources.count;
  head[Head.Functions] = sources.functions.length / 3;
  head[Head.BytesOfBlocks] = blocks.bytes.length;
  head[Head.BytesOfNames] = names.bytes.length;
  // One more, which tells where the functions of the last one end.
  const end: number[] = Array(Src.Length).fill(0);
  end[Src.Functions] = sources.functions.length / 3;
  const parts = [
    head,
    Int32Array.from(blocks.index),
    Int32Array.from(names.offsets),
    Int32Array.from([...sources.ints, ...end]),
    Int32Array.from(sources.functions),
    blocks.bytes.written(),
    names.bytes.written(),
    sources.texts.written(),
  ];
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    whole.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return whole;
}
