/**
 * Series of one metric as bytes: a version, the length unpacked, then zstd. Lists of times that several series have, as
 * all of a scrape do, stand once; so do bounds of buckets. Each series knows its length, so that others are passed over.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { RawSeries, SeriesSteps } from "../points.ts";
import { ByteReader } from "./byte_reader.ts";
import { ByteWriter } from "./byte_writer.ts";
import { readColumn, writeColumn } from "./column.ts";
import { DamagedBlock } from "./damaged_block.ts";
import { BoundsTable } from "./histogram_columns.ts";
import { contentOf, readSeries, type SeriesFacts, timesOf, writeSeries } from "./series.ts";

const VERSION = 1;
/** Unpacked. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Of all lists of times together, and of all series. */
const MAX_TIMES = 32_000_000;
const MAX_SERIES = 1_000_000;

/** What is written in a hurry, and what is kept for long. */
export const LEVEL = { fast: 1, small: 9 } as const;

/** @param series of one metric and one form, at least one */
export function encodeBlock(
  series: readonly (RawSeries | SeriesSteps)[],
  level: number = LEVEL.fast,
): Uint8Array {
  const inner = new ByteWriter();
  writeSection(inner, series);
  return pack(inner.written(), level);
}

/**
 * The series of a block, in their order.
 *
 * @param wanted ids of those to read, null: all
 * @throws {DamagedBlock}
 */
export function decodeBlock(
  bytes: Uint8Array,
  wanted: ReadonlySet<string> | null = null,
): (RawSeries | SeriesSteps)[] {
  return readSection(new ByteReader(unpack(bytes)), wanted);
}

export function pack(inner: Uint8Array, level: number): Uint8Array {
  const head = new ByteWriter();
  head.byte(VERSION);
  head.varint(inner.length);
  head.bytes(
    zstdCompressSync(inner, { params: { [constants.ZSTD_c_compressionLevel]: level } }),
  );
  return head.written();
}

/** @throws {DamagedBlock} */
export function unpack(bytes: Uint8Array): Uint8Array {
  const reader = new ByteReader(bytes);
  const version = reader.byte();
  if (version !== VERSION) throw new DamagedBlock(`The version is ${version}`);
  const length = reader.varint(MAX_BYTES);
  try {
    const inner = zstdDecompressSync(reader.bytes(reader.remaining), {
      maxOutputLength: Math.max(length, 1),
    });
    if (inner.length === length) return inner;
  } catch {
    // Its text tells nothing.
  }
  throw new DamagedBlock("The bytes cannot be unpacked");
}

/** Writes series without packing them. */
export function writeSection(
  writer: ByteWriter,
  series: readonly (RawSeries | SeriesSteps)[],
): void {
  const timelines = new Timelines();
  const bounds = new BoundsTable();
  const bodies = new ByteWriter();
  const heads = series.map((each) => {
    const before = bodies.length;
    const timeline = timelines.placeOf(timesOf(each));
    writeSeries(bodies, each, bounds);
    return { id: each.seriesId, timeline, length: bodies.length - before };
  });
  writer.byte(series[0] === undefined ? 0 : contentOf(series[0]));
  timelines.write(writer);
  bounds.write(writer);
  writer.varint(series.length);
  for (const { id, timeline, length } of heads) {
    writer.id(id);
    writer.varint(timeline);
    writer.varint(length);
  }
  writer.bytes(bodies.written());
}

/** @throws {DamagedBlock} */
export function readSection(
  reader: ByteReader,
  wanted: ReadonlySet<string> | null,
): (RawSeries | SeriesSteps)[] {
  const content = reader.byte();
  const timelines = readTimelines(reader);
  const bounds = BoundsTable.read(reader);
  const heads: (SeriesFacts & { readonly length: number })[] = [];
  let points = 0;
  for (let left = reader.varint(MAX_SERIES); left > 0; left--) {
    const seriesId = reader.id();
    const times = timelines[reader.varint()];
    if (times === undefined) throw new DamagedBlock("A series has no times");
    points += times.length;
    if (points > MAX_TIMES) throw new DamagedBlock("There are too many points");
    heads.push({ seriesId, times, length: reader.varint() });
  }
  const series: (RawSeries | SeriesSteps)[] = [];
  for (const head of heads) {
    if (wanted !== null && !wanted.has(head.seriesId)) {
      reader.skip(head.length);
      continue;
    }
    const end = reader.position + head.length;
    series.push(readSeries(reader, content, head, bounds));
    if (reader.position !== end) throw new DamagedBlock("A series has another length");
  }
  return series;
}

class Timelines {
  readonly #lists: Float64Array[] = [];
  readonly #places = new Map<string, number[]>();

  placeOf(times: Float64Array): number {
    const last = this.#lists.length - 1;
    const latest = this.#lists[last];
    if (latest !== undefined && areEqual(latest, times)) return last;
    const key = `${times.length}/${times[0]}/${times.at(-1)}`;
    const places = this.#places.get(key) ?? [];
    const known = places.find((place) => areEqual(this.#lists[place], times));
    if (known !== undefined) return known;
    const place = this.#lists.push(times) - 1;
    this.#places.set(key, [...places, place]);
    return place;
  }

  write(writer: ByteWriter): void {
    writer.varint(this.#lists.length);
    for (const times of this.#lists) {
      writer.varint(times.length);
      writeColumn(writer, times);
    }
  }
}

function readTimelines(reader: ByteReader): Float64Array[] {
  const timelines: Float64Array[] = [];
  let left = MAX_TIMES;
  for (let lists = reader.varint(MAX_SERIES); lists > 0; lists--) {
    const count = reader.varint(left);
    left -= count;
    timelines.push(readColumn(reader, count));
  }
  return timelines;
}

function areEqual(one: Float64Array | undefined, other: Float64Array): boolean {
  if (one === other) return true;
  if (one === undefined || one.length !== other.length) return false;
  for (let place = 0; place < one.length; place++) if (one[place] !== other[place]) return false;
  return true;
}
