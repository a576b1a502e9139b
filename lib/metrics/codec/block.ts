/**
 * Series of one metric as bytes: a version, the length unpacked, then zstd. Lists of times that several series have, as
 * all of a scrape do, stand once; so do bounds of buckets. Each series knows its length, so that others are passed over.
 */
import { zstdDecompressSync } from "node:zlib";
import { zstd } from "../../core/zstd.ts";
import type { MetricKind, Temporality } from "../../records/metric_batch.ts";
import { isRaw, type RawSeries, type SeriesSteps } from "../points.ts";
import { ByteReader, ByteWriter, DamagedBytes } from "../../core/bytes.ts";
import { readColumn, writeColumn } from "./columns.ts";
import { type FoldedGauges, readGauge } from "./folded_gauges.ts";
import type { StepRuns } from "../slots.ts";
import {
  BoundsTable,
  readHistograms,
  readMergedHistograms,
  writeHistograms,
} from "./histogram_columns.ts";

const VERSION = 1;
/** Of the version and a length, and what the writer keeps free for one more. */
const HEAD_BYTES = 16;
/** Unpacked. */
const MAX_BYTES = 256 * 1024 * 1024;
/** What is unpacked into at a time: a damaged length takes no more. */
const CHUNK = { min: 64, max: 4 * 1024 * 1024 };
/** Of all lists of times together, and of all series. */
const MAX_TIMES = 32_000_000;
const MAX_SERIES = 1_000_000;

/** What is written in a hurry, and what is kept for long; level 9 takes twenty times as long for a hundredth less. */
export const COMPRESSION = { fast: 1, small: 3 } as const;

/** @param series of one metric and one form, at least one */
export function encodeBlock(
  series: readonly (RawSeries | SeriesSteps)[],
  level: number = COMPRESSION.fast,
): Uint8Array {
  const inner = new ByteWriter();
  writeSection(inner, series);
  return pack(inner.written(), level);
}

/**
 * The series of a block, in their order.
 *
 * @param wanted ids of those to read, null: all
 * @param runsOf which steps histograms are joined into, of rollups; absent: none
 * @throws {DamagedBytes}
 */
export function decodeBlock(
  bytes: Uint8Array,
  wanted: ReadonlySet<string> | null = null,
  runsOf?: ((times: Float64Array) => StepRuns) | undefined,
): (RawSeries | SeriesSteps)[] {
  return readSection(new ByteReader(unpack(bytes)), wanted, runsOf);
}

export function pack(inner: Uint8Array, level: number): Uint8Array {
  const packed = zstd(inner, level);
  const writer = new ByteWriter(packed.length + HEAD_BYTES);
  writer.byte(VERSION);
  writer.varint(inner.length);
  writer.bytes(packed);
  return writer.written();
}

/** @throws {DamagedBytes} */
export function unpack(bytes: Uint8Array): Uint8Array {
  const reader = new ByteReader(bytes);
  const version = reader.byte();
  if (version !== VERSION) throw new DamagedBytes(`The version is ${version}`);
  const length = reader.varint(MAX_BYTES);
  try {
    const inner = zstdDecompressSync(reader.bytes(reader.remaining), {
      maxOutputLength: Math.max(length, 1),
      // In one piece: putting many together costs half as much again.
      chunkSize: Math.min(Math.max(length, CHUNK.min), CHUNK.max),
    });
    if (inner.length === length) return inner;
  } catch {
    // Its text tells nothing.
  }
  throw new DamagedBytes("The bytes cannot be unpacked");
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
    const timeline = timelines.placeOf(each.times);
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

/** @throws {DamagedBytes} */
export function readSection(
  reader: ByteReader,
  wanted: ReadonlySet<string> | null,
  runsOf?: ((times: Float64Array) => StepRuns) | undefined,
): (RawSeries | SeriesSteps)[] {
  const series: (RawSeries | SeriesSteps)[] = [];
  eachBody(reader, wanted, (content, head, bounds) => {
    series.push(
      content === CONTENT.histogramSteps && runsOf !== undefined
        ? readJoined(reader, head, bounds, runsOf(head.times))
        : readSeries(reader, content, head, bounds),
    );
  });
  return series;
}

/**
 * Reads the gauges of a block, points or steps, and adds them up by step; other series are left out.
 *
 * @param runsOf which steps the points at some times make
 * @param into takes nothing else meanwhile; after an error what is in it is of no use
 * @throws {DamagedBytes}
 */
export function foldBlock(
  bytes: Uint8Array,
  wanted: ReadonlySet<string> | null,
  runsOf: (times: Float64Array) => StepRuns,
  into: FoldedGauges,
): void {
  into.clear();
  const reader = new ByteReader(unpack(bytes));
  let lastTimes: Float64Array | null = null;
  let runs: StepRuns = { times: new Float64Array(), edges: new Uint32Array(1) };
  eachBody(reader, wanted, (content, { seriesId, times, length }) => {
    // All series of a scrape share theirs.
    if (times !== lastTimes) runs = runsOf(lastTimes = times);
    const isGauge = content === CONTENT.numbers || content === CONTENT.gauge;
    if (!isGauge || runs.times.length === 0) return reader.skip(length);
    if (content === CONTENT.gauge) return into.readSteps(reader, seriesId, times.length, runs);
    readTemporality(reader);
    // Gauges have no start that tells anything.
    readColumn(reader, times.length);
    into.readPoints(reader, seriesId, times.length, runs);
  });
}

/** Visits the series of a section, with the reader where their columns begin. @throws {DamagedBytes} */
function eachBody(
  reader: ByteReader,
  wanted: ReadonlySet<string> | null,
  visit: (content: number, head: SeriesHead, bounds: readonly (readonly number[])[]) => void,
): void {
  const content = reader.byte();
  const timelines = readTimelines(reader);
  const bounds = BoundsTable.read(reader);
  const heads: SeriesHead[] = [];
  let points = 0;
  for (let left = reader.varint(MAX_SERIES); left > 0; left--) {
    const seriesId = reader.id();
    const times = timelines[reader.varint()];
    if (times === undefined) throw new DamagedBytes("A series has no times");
    points += times.length;
    if (points > MAX_TIMES) throw new DamagedBytes("There are too many points");
    heads.push({ seriesId, times, length: reader.varint() });
  }
  for (const head of heads) {
    if (wanted !== null && !wanted.has(head.seriesId)) {
      reader.skip(head.length);
      continue;
    }
    const end = reader.position + head.length;
    visit(content, head, bounds);
    if (reader.position !== end) throw new DamagedBytes("A series has another length");
  }
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

/** What a block holds. Numbers are stored: they never change. */
const CONTENT = { numbers: 0, histograms: 1, counter: 2, gauge: 3, histogramSteps: 4 } as const;
/** By their numbers in blocks and batches. */
export const TEMPORALITIES: readonly Temporality[] = ["cumulative", "delta", "observed", "level"];
export const KINDS: readonly MetricKind[] = ["counter", "gauge", "histogram"];

interface SeriesFacts {
  readonly seriesId: string;
  readonly times: Float64Array;
}

interface SeriesHead extends SeriesFacts {
  /** Bytes of its columns. */
  readonly length: number;
}

/** The number of a block's content that such a series is part of. */
function contentOf(series: RawSeries | SeriesSteps): number {
  if (isRaw(series)) return series.shape === "number" ? CONTENT.numbers : CONTENT.histograms;
  return series.kind === "histogram" ? CONTENT.histogramSteps : CONTENT[series.kind];
}

function writeSeries(
  writer: ByteWriter,
  series: RawSeries | SeriesSteps,
  bounds: BoundsTable,
): void {
  if (isRaw(series)) {
    writer.byte(TEMPORALITIES.indexOf(series.temporality));
    writeColumn(writer, series.starts);
    if (series.shape === "number") writeColumn(writer, series.values);
    else writeHistograms(writer, series.values, bounds);
  } else if (series.kind === "counter") {
    writeColumn(writer, series.increases);
  } else if (series.kind === "histogram") {
    writeHistograms(writer, series.histograms, bounds);
  } else {
    writeColumn(writer, series.counts);
    writeColumn(writer, series.lasts);
    writeColumn(writer, series.mins, series.lasts);
    writeColumn(writer, series.maxs, series.lasts);
    writeColumn(writer, series.sums, series.lasts);
  }
}

/** @throws {DamagedBytes} */
function readSeries(
  reader: ByteReader,
  content: number,
  { seriesId, times }: SeriesFacts,
  bounds: readonly (readonly number[])[],
): RawSeries | SeriesSteps {
  const count = times.length;
  switch (content) {
    case CONTENT.numbers: {
      const temporality = readTemporality(reader);
      const starts = readColumn(reader, count);
      const values = readColumn(reader, count);
      return { shape: "number", seriesId, temporality, times, starts, values };
    }
    case CONTENT.histograms: {
      const temporality = readTemporality(reader);
      const starts = readColumn(reader, count);
      const values = readHistograms(reader, count, bounds);
      return { shape: "histogram", seriesId, temporality, times, starts, values };
    }
    case CONTENT.counter:
      return { kind: "counter", seriesId, times, increases: readColumn(reader, count) };
    case CONTENT.histogramSteps: {
      const histograms = readHistograms(reader, count, bounds);
      return { kind: "histogram", seriesId, times, histograms };
    }
    case CONTENT.gauge:
      return { kind: "gauge", seriesId, times, ...readGauge(reader, count) };
    default:
      throw new DamagedBytes(`The content is ${content}`);
  }
}

/** @throws {DamagedBytes} */
function readJoined(
  reader: ByteReader,
  { seriesId, times }: SeriesFacts,
  bounds: readonly (readonly number[])[],
  runs: StepRuns,
): SeriesSteps {
  const histograms = readMergedHistograms(reader, times.length, bounds, runs.edges);
  return { kind: "histogram", seriesId, times: runs.times, histograms };
}

function readTemporality(reader: ByteReader): Temporality {
  const temporality = TEMPORALITIES[reader.byte()];
  if (temporality === undefined) throw new DamagedBytes("A series has an unknown temporality");
  return temporality;
}
