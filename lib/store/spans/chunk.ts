/**
 * Spans as they are stored: those that commit together in one chunk, column by column, each text once. A chunk has
 * parts, one for each trace and sender, which are read by their place; what is the same in all spans of a kind (their
 * attributes' names, the database, the host) stands once in the chunk.
 *
 * The first byte is the format: 2 and 3 are the same bytes, squeezed by zstd, or, when there are few, by deflate with a
 * dictionary that all the world's spans have in common. 1 is what earlier versions wrote, see `first_format.ts`.
 */
import { zstdDecompressSync } from "node:zlib";
import { deflateSync, inflateSync } from "fflate";
import { zstd } from "../../core/zstd.ts";
import { ByteReader, ByteWriter, DamagedBytes } from "../../core/bytes.ts";
import {
  type Measurement,
  type Span,
  SPAN_CATEGORIES,
  SPAN_KINDS,
  type SpanEvent,
  type SpanLink,
} from "../../records/mod.ts";
import { DICTIONARY, FIRST_FORMAT, unpackFirst } from "./first_format.ts";

const FORMAT = { zstd: 2, deflate: 3 } as const;
/** From here on a chunk repeats itself enough for the faster compressor, which knows nothing beforehand. */
const MANY_BYTES = 6_000;
/** Higher levels save a percent or two for several times the processor time. */
const LEVEL = 3;
/** Beyond it, whole numbers are written as texts. */
const MAX_WHOLE = 2 ** 49;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const writer = new ByteWriter();

/** One part of a chunk with the ids of its spans, which are stored beside it. */
export interface PackedSpans {
  /** Eight bytes each, by start. */
  readonly ids: Uint8Array;
  /** The chunk. */
  readonly bytes: Uint8Array;
  /** Of the part in the chunk. */
  readonly place: number;
}

/** What few spans have. */
interface Rare {
  readonly measurements?: readonly Measurement[];
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly SpanLink[];
}

/** The texts of a chunk, as JSON. */
interface Texts {
  readonly strings: readonly string[];
  /** By the place of the span in the chunk. */
  readonly rare: readonly (readonly [place: number, rare: Rare])[];
}

/** What spans of one kind have in common. */
interface Template {
  readonly facts: readonly string[];
  readonly keys: readonly string[];
  readonly spans: Span[];
  readonly place: number;
}

/** The spans of a part in the order in which they are stored. */
export function inOrder(spans: readonly Span[]): readonly Span[] {
  return isSorted(spans) ? spans : spans.toSorted((a, b) => a.start - b.start);
}

function isSorted(spans: readonly Span[]): boolean {
  let last = -Infinity;
  for (const { start } of spans) {
    if (start < last) return false;
    last = start;
  }
  return true;
}

/** The ids of spans as hexadecimal digits, in the order given. */
export function idsHex(spans: readonly Span[]): string {
  return spans.map(({ spanId }) => spanId).join("");
}

/**
 * Packs parts into a chunk. Times are kept to the nanosecond.
 *
 * @param parts spans as {@linkcode inOrder} has them; a part may be empty
 */
export function packChunk(parts: readonly (readonly Span[])[]): Uint8Array {
  const spans = parts.flat();
  const strings = new Strings();
  const templates = new Templates();
  const templateOf = spans.map((span) => templates.of(span));
  const rare = spans.flatMap((span, place) => {
    const few = rareOf(span);
    return few === null ? [] : [[place, few] as const];
  });
  writer.clear();
  writer.varint(parts.length);
  for (const part of parts) writer.varint(part.length);
  writeTemplates(templates.all, strings);
  for (const { place } of templateOf) writer.varint(place);
  writeTimes(parts, spans);
  for (const part of parts) writeReferences(part, strings);
  for (const template of templates.all) writeValues(template, strings);
  const texts: Texts = { strings: strings.all, rare };
  return squeezed(encoder.encode(JSON.stringify(texts)), writer.written());
}

function squeezed(texts: Uint8Array, columns: Uint8Array): Uint8Array {
  const plain = new Uint8Array(4 + texts.length + columns.length);
  new DataView(plain.buffer).setUint32(0, texts.length, true);
  plain.set(texts, 4);
  plain.set(columns, 4 + texts.length);
  const isLarge = plain.length >= MANY_BYTES;
  const bytes = isLarge ? zstd(plain, LEVEL) : deflateSync(plain, { dictionary: DICTIONARY });
  const all = new Uint8Array(1 + bytes.length);
  all[0] = isLarge ? FORMAT.zstd : FORMAT.deflate;
  all.set(bytes, 1);
  return all;
}

function rareOf({ measurements, events, links }: Span): Rare | null {
  if (measurements.length + events.length + links.length === 0) return null;
  return {
    ...(measurements.length > 0 && { measurements }),
    ...(events.length > 0 && { events }),
    ...(links.length > 0 && { links }),
  };
}

/** Texts, each once: 0 stands for the next one that is new, so that what never repeats costs nothing beside itself. */
class Strings {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();

  codeOf(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.all.push(text));
    return 0;
  }
}

class Node {
  readonly next = new Map<string, Node>();
  template: Template | null = null;

  step(word: string): Node {
    const known = this.next.get(word);
    if (known !== undefined) return known;
    const made = new Node();
    this.next.set(word, made);
    return made;
  }
}

/** Finds the template of a span word by word: joining words for a key would cost more than all the rest. */
class Templates {
  readonly all: Template[] = [];
  readonly #root = new Node();

  of(span: Span): Template {
    const { name, kind, op, category, group, status, origin, isSegment, data } = span;
    let node = this.#root.step(group).step(name).step(op).step(status).step(origin)
      .step(kind).step(category).step(isSegment ? "1" : "");
    for (const key in data) node = node.step(key);
    if (node.template === null) {
      const facts = [name, op, group, status, origin, kind, category, isSegment ? "1" : ""];
      const place = this.all.length;
      node.template = { facts, keys: Object.keys(data), spans: [], place };
      this.all.push(node.template);
    }
    node.template.spans.push(span);
    return node.template;
  }
}

function writeTemplates(templates: readonly Template[], strings: Strings): void {
  writer.varint(templates.length);
  for (const { facts, keys } of templates) {
    for (const fact of facts) writer.varint(strings.codeOf(fact));
    writer.varint(keys.length);
    for (const key of keys) writer.varint(strings.codeOf(key));
  }
}

function micros(seconds: number): number {
  return Math.round(seconds * 1e6);
}

/** Starts from part to part and from span to span, durations, and nanoseconds where there are any. */
function writeTimes(parts: readonly (readonly Span[])[], spans: readonly Span[]): void {
  let base = 0;
  for (const [first] of parts) {
    const start = first === undefined ? base : micros(first.start);
    writer.signed(start - base);
    base = start;
  }
  for (const part of parts) {
    let last = micros(part[0]?.start ?? 0);
    for (const { start } of part) {
      const at = micros(start);
      writer.varint(at - last);
      last = at;
    }
  }
  for (const { start, end } of spans) writer.signed(micros(end) - micros(start));
  const areFine = spans.some(({ fine }) => fine !== undefined);
  writer.byte(areFine ? 1 : 0);
  if (!areFine) return;
  for (const { fine = NO_FINE } of spans) {
    // One more, so that what has none is told from what has zeros.
    writer.varint(fine === NO_FINE ? 0 : fine[0] + 1);
    if (fine !== NO_FINE) writer.varint(fine[1]);
  }
}

const NO_FINE: readonly [number, number] = [0, 0];

/** Parents, then segments. 0: none; up to the number of spans: one of these; beyond: an id that is not among them. */
function writeReferences(part: readonly Span[], strings: Strings): void {
  const places = new Map<string, number>();
  for (const [place, { spanId }] of part.entries()) places.set(spanId, place + 1);
  const write = (id: string | null) => {
    const place = id === null ? 0 : places.get(id);
    writer.varint(place ?? part.length + 1 + strings.codeOf(id ?? ""));
  };
  for (const { parentSpanId } of part) write(parentSpanId);
  for (const { segmentId } of part) write(segmentId);
}

const TAG = { text: 0, whole: 1, json: 2 } as const;
const TAGS = 3;

/** Descriptions and attributes of the spans of a template, one after the other; once where all are the same. */
function writeValues({ keys, spans }: Template, strings: Strings): void {
  writeColumn(spans.map(({ description }) => description), strings);
  for (const key of keys) writeColumn(spans.map(({ data }) => data[key]), strings);
}

function writeColumn(values: readonly unknown[], strings: Strings): void {
  const [first] = values;
  const isSame = typeof first !== "object" && values.every((value) => value === first);
  writer.byte(isSame ? 1 : 0);
  if (isSame) writeValue(first, strings);
  else for (const value of values) writeValue(value, strings);
}

function writeValue(value: unknown, strings: Strings): void {
  if (typeof value === "string") writer.varint(strings.codeOf(value) * TAGS + TAG.text);
  else if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < MAX_WHOLE) {
    writer.varint((value < 0 ? -2 * value - 1 : 2 * value) * TAGS + TAG.whole);
  } else {
    // Nothing is null, as it is in a list of JSON.
    const text = JSON.stringify(value) ?? "null";
    writer.varint(strings.codeOf(text) * TAGS + TAG.json);
  }
}

/**
 * The spans of one part, by start.
 *
 * @throws {Error} when the bytes are damaged or of a later version
 */
export function unpackSpans({ ids, bytes, place }: PackedSpans): Span[] {
  if (bytes[0] === FIRST_FORMAT) return unpackFirst({ ids, bytes });
  return openChunk(bytes).part(place, ids);
}

/** A chunk that is unpacked once and read part by part. */
export interface OpenChunk {
  /** How many spans each part has. */
  readonly counts: readonly number[];
  /** The spans of a part, by start. @param ids of these spans */
  part(place: number, ids: Uint8Array): Span[];
}

/** @throws {Error} when the bytes are damaged or of a later version */
export function openChunk(bytes: Uint8Array): OpenChunk {
  const plain = unsqueezed(bytes);
  const length = new DataView(plain.buffer, plain.byteOffset).getUint32(0, true);
  const { strings, rare }: Texts = JSON.parse(decoder.decode(plain.subarray(4, 4 + length)));
  const columns = plain.subarray(4 + length);
  const reader = new ByteReader(columns);
  const counts = Array.from({ length: reader.varint(columns.length) }, () => reader.varint());
  return {
    counts,
    part: (place, ids) => new PartReader(columns, strings, rare).read(place, ids),
  };
}

function unsqueezed(bytes: Uint8Array): Uint8Array {
  const squeezed = bytes.subarray(1);
  switch (bytes[0]) {
    case FORMAT.zstd:
      return zstdDecompressSync(squeezed);
    case FORMAT.deflate:
      return inflateSync(squeezed, { dictionary: DICTIONARY });
    default:
      throw new Error(`Cannot read spans of version ${bytes[0]}`);
  }
}

interface ReadTemplate {
  readonly facts: readonly string[];
  readonly keys: readonly string[];
  /** Places of its spans in the chunk. */
  readonly places: number[];
}

/** Walks over all columns of a chunk and keeps what belongs to one part. */
class PartReader {
  readonly #in: ByteReader;
  readonly #strings: readonly string[];
  readonly #rare: Texts["rare"];
  #newStrings = 0;

  constructor(columns: Uint8Array, strings: readonly string[], rare: Texts["rare"]) {
    this.#in = new ByteReader(columns);
    this.#strings = strings;
    this.#rare = rare;
  }

  read(place: number, ids: Uint8Array): Span[] {
    const from = this.#in;
    const counts = Array.from({ length: from.varint() }, () => from.varint());
    const total = counts.reduce((sum, count) => sum + count, 0);
    const first = counts.slice(0, place).reduce((sum, count) => sum + count, 0);
    const count = counts[place] ?? 0;
    if (count * 8 !== ids.length) throw new DamagedBytes("A chunk has other spans than its row");
    const templates = this.#templates();
    const templateOf: ReadTemplate[] = [];
    for (let at = 0; at < total; at++) {
      const template = templates[from.varint()];
      if (template === undefined) throw new DamagedBytes("A span has no template");
      template.places.push(at);
      templateOf.push(template);
    }
    const times = this.#times(counts, place, first);
    const links = this.#references(counts, place, ids);
    const values = this.#values(templates, first, count);
    const rare = new Map(this.#rare);
    return templateOf.slice(first, first + count).map((template, at) => {
      const [name = "", op = "", group = "", status = "", origin = "", kind, category, segment] =
        template.facts;
      const [description, ...data] = values[at] ?? [];
      const few = rare.get(first + at) ?? {};
      return {
        spanId: idAt(ids, at),
        parentSpanId: links.parents[at] ?? null,
        segmentId: links.segments[at] ?? null,
        isSegment: segment === "1",
        ...times[at] ?? NO_TIME,
        name,
        kind: SPAN_KINDS.find((each) => each === kind) ?? "",
        op,
        description: String(description ?? ""),
        category: SPAN_CATEGORIES.find((each) => each === category) ?? "",
        group,
        status,
        origin,
        data: Object.fromEntries(template.keys.map((key, place) => [key, data[place]])),
        measurements: few.measurements ?? [],
        events: few.events ?? [],
        links: few.links ?? [],
      };
    });
  }

  #templates(): ReadTemplate[] {
    return Array.from({ length: this.#in.varint() }, () => ({
      facts: Array.from({ length: FACTS }, () => this.#string(this.#in.varint())),
      keys: Array.from({ length: this.#in.varint() }, () => this.#string(this.#in.varint())),
      places: [],
    }));
  }

  #string(code: number): string {
    const text = this.#strings[code === 0 ? this.#newStrings++ : code - 1];
    if (text === undefined) throw new DamagedBytes("A text is missing");
    return text;
  }

  #times(counts: readonly number[], place: number, first: number) {
    const from = this.#in;
    let [base, start] = [0, 0];
    for (let part = 0; part < counts.length; part++) {
      base += from.signed();
      if (part === place) start = base;
    }
    const starts: number[] = [];
    const ends: number[] = [];
    const count = counts[place] ?? 0;
    const total = counts.reduce((sum, each) => sum + each, 0);
    const isOwn = (at: number) => at >= first && at < first + count;
    for (let at = 0; at < total; at++) {
      const step = from.varint();
      if (isOwn(at)) starts.push(start += step);
    }
    for (let at = 0; at < total; at++) {
      const duration = from.signed();
      if (isOwn(at)) ends.push((starts[at - first] ?? 0) + duration);
    }
    const fine: ({ readonly fine: readonly [number, number] } | undefined)[] = [];
    for (let at = 0, areFine = from.byte() === 1; areFine && at < total; at++) {
      const ofStart = from.varint();
      const own = ofStart === 0 ? undefined : { fine: [ofStart - 1, from.varint()] as const };
      if (isOwn(at)) fine.push(own);
    }
    return starts.map((micros, at) => ({
      start: micros / 1e6,
      end: (ends[at] ?? 0) / 1e6,
      ...fine[at],
    }));
  }

  #references(counts: readonly number[], place: number, ids: Uint8Array) {
    const parents: (string | null)[] = [];
    const segments: (string | null)[] = [];
    for (const [part, count] of counts.entries()) {
      for (const list of [parents, segments]) {
        for (let at = 0; at < count; at++) {
          const code = this.#in.varint();
          const foreign = code > count ? this.#string(code - count - 1) : null;
          if (part === place) list.push(foreign ?? (code === 0 ? null : idAt(ids, code - 1)));
        }
      }
    }
    return { parents, segments };
  }

  /** For each span of the part its description, then the values of its attributes. */
  #values(templates: readonly ReadTemplate[], first: number, count: number): unknown[][] {
    const values: unknown[][] = Array.from({ length: count }, () => []);
    for (const { keys, places } of templates) {
      for (let column = 0; column <= keys.length; column++) {
        const same = this.#in.byte() === 1 ? this.#value() : undefined;
        for (const at of places) {
          const value = same === undefined ? this.#value() : same;
          values[at - first]?.push(value);
        }
      }
    }
    return values;
  }

  #value(): unknown {
    const code = this.#in.varint();
    const rest = Math.floor(code / TAGS);
    switch (code % TAGS) {
      case TAG.text:
        return this.#string(rest);
      case TAG.whole:
        return rest % 2 === 1 ? -(rest + 1) / 2 : rest / 2;
      default:
        return JSON.parse(this.#string(rest));
    }
  }
}

/** Texts of a template beside the names of its attributes. */
const FACTS = 8;
const NO_TIME = { start: 0, end: 0 };

function idAt(ids: Uint8Array, place: number): string {
  return ids.subarray(place * 8, place * 8 + 8).toHex();
}
