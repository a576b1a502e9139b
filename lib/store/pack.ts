/**
 * Spans as they are stored: column by column, each text once, compressed with a dictionary that spans have in common.
 * The first byte is the dictionary's version, what follows is raw deflate (RFC 1951) of a JSON text. By fflate: Deno's
 * `node:zlib` takes a dictionary without using it, and the few spans of a trace take half as much again without.
 */
import { deflateSync, inflateSync } from "fflate";
import type { Measurement, Span, SpanCategory, SpanEvent, SpanKind, SpanLink } from "../records/mod.ts";
import { DICTIONARIES } from "./dictionary.ts";

const VERSION = 1;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Columns have as many values as there are spans; texts are places in `strings`. */
interface Columns {
  /** Earliest start, in microseconds since 1970. */
  readonly base: number;
  readonly strings: string[];
  /** 0: none; above: the place of the parent among these spans, plus 1; a text: an id that is not among them. */
  readonly parents: Reference[];
  readonly segments: Reference[];
  /** Microseconds from the start of the span before, which is the earlier one. */
  readonly starts: number[];
  readonly durations: number[];
  /** Nanoseconds beyond the microseconds of start and end, 0 to 999, two for each span; absent: none. */
  readonly fine?: number[];
  readonly names: number[];
  readonly kinds: number[];
  readonly ops: number[];
  readonly descriptions: number[];
  readonly categories: number[];
  readonly groups: number[];
  readonly statuses: number[];
  readonly origins: number[];
  /** Lists of attribute names. */
  readonly shapes: string[][];
  /** The place of the shape, then the values in its order. */
  readonly data: (readonly unknown[])[];
  /** What few spans have: with the place of the span. */
  readonly measurements: [number, readonly Measurement[]][];
  readonly events: [number, readonly SpanEvent[]][];
  readonly links: [number, readonly SpanLink[]][];
  readonly local_roots: number[];
}

type Reference = number | string;

export interface PackedSpans {
  /** Eight bytes each, by start. */
  readonly ids: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Packs the spans of one batch; at least one. Times are kept to the nanosecond. */
export function packSpans(spans: readonly Span[]): PackedSpans {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  const ids = Uint8Array.fromHex(sorted.map(({ spanId }) => spanId).join(""));
  const text = encoder.encode(JSON.stringify(columnsOf(sorted)));
  const packed = deflateSync(text, { dictionary: dictionaryOf(VERSION) });
  const bytes = new Uint8Array(1 + packed.length);
  bytes[0] = VERSION;
  bytes.set(packed, 1);
  return { ids, bytes };
}

function columnsOf(spans: readonly Span[]): Columns {
  const strings = new Places<string>((text) => text);
  const shapes = new Places<string[]>((names) => JSON.stringify(names));
  const places = new Map(spans.map(({ spanId }, place) => [spanId, place + 1]));
  const refer = (id: string | null): Reference => id === null ? 0 : places.get(id) ?? id;
  const base = micros(spans[0]?.start ?? 0);
  let last = base;
  return {
    base,
    strings: strings.values,
    parents: spans.map(({ parentSpanId }) => refer(parentSpanId)),
    segments: spans.map(({ segmentId }) => refer(segmentId)),
    starts: spans.map(({ start }) => {
      const step = micros(start) - last;
      last += step;
      return step;
    }),
    durations: spans.map(({ start, end }) => micros(end) - micros(start)),
    ...(spans.some(({ fine }) => fine !== undefined) &&
      { fine: spans.flatMap(({ fine = [0, 0] }) => fine) }),
    names: spans.map(({ name }) => strings.placeOf(name)),
    kinds: spans.map(({ kind }) => strings.placeOf(kind)),
    ops: spans.map(({ op }) => strings.placeOf(op)),
    descriptions: spans.map(({ description }) => strings.placeOf(description)),
    categories: spans.map(({ category }) => strings.placeOf(category)),
    groups: spans.map(({ group }) => strings.placeOf(group)),
    statuses: spans.map(({ status }) => strings.placeOf(status)),
    origins: spans.map(({ origin }) => strings.placeOf(origin)),
    shapes: shapes.values,
    data: spans.map(({ data }) => [shapes.placeOf(Object.keys(data)), ...Object.values(data)]),
    measurements: withPlaces(spans, ({ measurements }) => measurements),
    events: withPlaces(spans, ({ events }) => events),
    links: withPlaces(spans, ({ links }) => links),
    local_roots: spans.flatMap(({ isSegment }, place) => isSegment ? [place] : []),
  };
}

/** Values, each once, by place. */
class Places<T> {
  readonly values: T[] = [];
  readonly #places = new Map<string, number>();

  constructor(private readonly keyOf: (value: T) => string) {}

  placeOf(value: T): number {
    const key = this.keyOf(value);
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.values.push(value) - 1;
      this.#places.set(key, place);
    }
    return place;
  }
}

function withPlaces<T>(
  spans: readonly Span[],
  of: (span: Span) => readonly T[],
): [number, readonly T[]][] {
  return spans.flatMap((span, place): [number, readonly T[]][] => {
    const list = of(span);
    return list.length === 0 ? [] : [[place, list]];
  });
}

function dictionaryOf(version: number | undefined): Uint8Array {
  const dictionary = DICTIONARIES[version ?? 0];
  if (dictionary === undefined) throw new Error(`Cannot read spans of version ${version}`);
  return dictionary;
}

function micros(seconds: number): number {
  return Math.round(seconds * 1e6);
}

/**
 * The spans of a batch, by start.
 *
 * @throws {Error} when the bytes are damaged or of a later version
 */
export function unpackSpans({ ids, bytes }: PackedSpans): Span[] {
  const dictionary = dictionaryOf(bytes[0]);
  const text = decoder.decode(inflateSync(bytes.subarray(1), { dictionary }));
  const columns: Columns = JSON.parse(text);
  const { strings, shapes } = columns;
  const idAt = (place: number) => ids.subarray(place * 8, place * 8 + 8).toHex();
  const readReference = (reference: Reference | undefined): string | null =>
    typeof reference === "string" ? reference : reference ? idAt(reference - 1) : null;
  const word = (column: readonly number[], place: number) => strings[column[place] ?? -1] ?? "";
  const measurements = new Map(columns.measurements);
  const events = new Map(columns.events);
  const links = new Map(columns.links);
  const roots = new Set(columns.local_roots);
  let start = columns.base;
  return columns.starts.map((step, place) => {
    start += step;
    const [shape, ...values] = columns.data[place] ?? [];
    return {
      spanId: idAt(place),
      parentSpanId: readReference(columns.parents[place]),
      segmentId: readReference(columns.segments[place]),
      isSegment: roots.has(place),
      start: start / 1e6,
      end: (start + (columns.durations[place] ?? 0)) / 1e6,
      ...(columns.fine && {
        fine: [columns.fine[2 * place] ?? 0, columns.fine[2 * place + 1] ?? 0] as const,
      }),
      name: word(columns.names, place),
      kind: word(columns.kinds, place) as SpanKind,
      op: word(columns.ops, place),
      description: word(columns.descriptions, place),
      category: word(columns.categories, place) as SpanCategory,
      group: word(columns.groups, place),
      status: word(columns.statuses, place),
      origin: word(columns.origins, place),
      data: Object.fromEntries((shapes[Number(shape)] ?? []).map((name, at) => [name, values[at]])),
      measurements: measurements.get(place) ?? [],
      events: events.get(place) ?? [],
      links: links.get(place) ?? [],
    };
  });
}
