/**
 * Points of gauges and sums in protobuf. The same series come again with every request: a point of one that is known is
 * read without making anything of it; one with anything unusual goes the way of all others.
 */
import type { SeriesIdentity } from "../../records/mod.ts";
import type { Labels } from "../metrics/label_book.ts";
import type { Fault } from "../metrics/limits.ts";
import { SeriesWalk } from "../metrics/series_memory.ts";
import type { NumberPointSink } from "./metric_taker.ts";
import type { LabelSpace } from "./metrics_labels.ts";
import { NUMBER, type OtlpNumberPoint, type PointForm } from "./metrics_model.ts";
import { type Attributed, microsOf } from "./model.ts";
import { type FieldHandler, shortMessageEnd, shortMessageStart } from "./proto_reader.ts";
import type { ProtoFields } from "./proto_values.ts";

/** Fields of a point with their wire types. */
const TAG = {
  start: 0x11,
  time: 0x19,
  double: 0x21,
  int: 0x31,
  attribute: 0x3a,
  flags: 0x40,
} as const;
const FIXED64_BYTES = 8;
const TWO_POW_32 = 2 ** 32;

/** Reads the points at `places`, as {@linkcode OtlpReader.note} has them. @throws {Refusal} 400 or 413 */
export function readNumberPoints(
  places: readonly number[],
  sink: NumberPointSink,
  space: LabelSpace,
  reader: ProtoFields,
): void {
  const { identities } = sink;
  const handle = readingField(NUMBER);
  const known = identities === null
    ? null
    : new KnownPoints(reader, new SeriesWalk(space.memoryOf(identities)), sink);
  reader.readNoted(places, (_, inner) => {
    if (known?.take() === true) return;
    const reading: Reading<OtlpNumberPoint> = { point: NUMBER.newPoint(), attributes: [] };
    const { point, attributes } = inner.message(handle, reading);
    const labels = labelsAt(attributes, space, inner);
    if (typeof labels !== "string" && identities !== null) {
      known?.learn(attributes, identities.of(labels), space);
    }
    sink.add(point, labels);
  }, null);
}

/** Takes points of series that are known. */
class KnownPoints {
  readonly #view: DataView;
  #series: SeriesIdentity | undefined;
  #start = 0;
  #time = 0;
  /** NaN: none. */
  #value = NaN;

  constructor(
    private readonly reader: ProtoFields,
    private readonly walk: SeriesWalk<SeriesIdentity>,
    private readonly sink: NumberPointSink,
  ) {
    const { buffer, byteOffset, byteLength } = reader.buf;
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  /** Takes the point whose length comes next. @returns false, and nothing done, when there is more to it */
  take(): boolean {
    const { reader } = this;
    const { buf, pos } = reader;
    const end = shortMessageEnd(buf, pos);
    if (end === 0 || !this.#read(buf, shortMessageStart(buf, pos), end)) return false;
    const series = this.#series;
    if (series === undefined || Number.isNaN(this.#value)) return false;
    reader.pos = end;
    this.sink.addKnown(series, this.#time, this.#start, this.#value);
    return true;
  }

  #read(buf: Uint8Array, from: number, end: number): boolean {
    this.#series = undefined;
    this.#start = 0;
    this.#time = 0;
    this.#value = NaN;
    let at = from;
    let isLabelled = false;
    while (at < end) {
      const tag = buf[at];
      if (tag === TAG.attribute) {
        if (isLabelled) return false;
        isLabelled = true;
        at = this.#readLabels(buf, at, end);
        if (at === 0) return false;
        continue;
      }
      if (tag === TAG.flags) {
        if (buf[at + 1] !== 0) return false;
        at += 2;
        continue;
      }
      const next = at + 1 + FIXED64_BYTES;
      if (next > end || !this.#readNumber(tag, at + 1)) return false;
      at = next;
    }
    if (!isLabelled) this.#series = this.walk.find("");
    return at === end;
  }

  #readNumber(tag: number | undefined, at: number): boolean {
    switch (tag) {
      case TAG.start:
        this.#start = this.#millisAt(at);
        return true;
      case TAG.time:
        this.#time = this.#millisAt(at);
        return true;
      case TAG.double:
        this.#value = this.#view.getFloat64(at, true);
        return true;
      case TAG.int:
        this.#value = this.#view.getUint32(at, true) +
          this.#view.getInt32(at + 4, true) * TWO_POW_32;
        return true;
      default:
        return false;
    }
  }

  #millisAt(at: number): number {
    const view = this.#view;
    return microsOf(view.getUint32(at, true) + view.getUint32(at + 4, true) * TWO_POW_32) / 1000;
  }

  /** @returns where the attributes end; 0 when they are not known, or not all in a row */
  #readLabels(buf: Uint8Array, at: number, end: number): number {
    const { walk } = this;
    const length = walk.match(this.#view, at, end);
    if (length > 0 && buf[at + length] !== TAG.attribute || length > 0 && at + length === end) {
      this.#series = walk.take();
      return at + length;
    }
    let to = at;
    while (to < end && buf[to] === TAG.attribute) {
      const size = buf[to + 1] ?? 0;
      if (size > 127) return 0;
      to += 2 + size;
    }
    if (to > end) return 0;
    this.#series = walk.find(this.reader.bytesAt([at + 1, to]));
    return this.#series === undefined ? 0 : to;
  }

  /** Remembers what a point's noted attributes stand for, when they lie in a row. */
  learn(places: readonly number[], series: SeriesIdentity, space: LabelSpace): void {
    if (places.length > 2) return;
    const [from = 0, to = 0] = places;
    if (to - from > MAX_REMEMBERED_BYTES) return;
    const key = this.reader.bytesAt(places);
    if (this.walk.find(key) !== undefined) return;
    const bytes = this.reader.buf.subarray(places.length === 0 ? from : from - 1, to);
    space.learn(this.walk, key, bytes, series);
  }
}

/** A point while it is read. Its attributes are only noted. */
export interface Reading<T> {
  readonly point: T;
  /** As {@linkcode OtlpReader.note} has it. */
  readonly attributes: number[];
}

export function readingField<T>(
  { fields, attributes }: PointForm<T>,
): FieldHandler<Reading<T>, ProtoFields> {
  return (field, reading, reader) => {
    if (field === attributes) reader.note(reading.attributes);
    else fields.byNumber[field]?.(reading.point, reader);
  };
}

/** Longer ones are read every time: few series have so much, and the memory is for many. */
export const MAX_REMEMBERED_BYTES = 2_000;

/** The labels that points' noted attributes make. @throws {Refusal} 400 or 413 */
export function labelsAt(
  places: readonly number[],
  space: LabelSpace,
  reader: ProtoFields,
): Labels | Fault {
  const size = (places.at(-1) ?? 0) - (places[0] ?? 0);
  const key = size > MAX_REMEMBERED_BYTES ? null : reader.bytesAt(places);
  const known = key === null ? undefined : space.known.get(key);
  if (known !== undefined) return known;
  const target = newAttributed();
  reader.readNoted(places, (attributed, inner) => inner.attributes(attributed), target);
  return space.labelsOf(target.attributes, key);
}

function newAttributed(): Attributed {
  return { attributes: {}, attributeCount: 0, droppedAttributes: 0 };
}
