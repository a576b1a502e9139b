/**
 * Histograms of a series in columns: those in a row with the same buckets make a run, and a bucket's counts are one
 * list. Exponential buckets of a run are all that any of its points has.
 */
import type { Buckets, SparseCounts } from "../../records/metric_batch.ts";
import { mergedRuns } from "../histograms.ts";
import {
  areSameBounds,
  columnOf,
  EMPTY_HISTOGRAM,
  type Histogram,
  newColumn,
  NO_BUCKETS,
} from "../points.ts";
import { type ByteReader, type ByteWriter, DamagedBytes } from "../../core/bytes.ts";
import { readColumn, writeColumn } from "./columns.ts";

const EXPLICIT = 0;
const EXPONENTIAL = 1;
/** Of a run: what several points have together may be far more than what each has. */
const MAX_INDEXES = 640;
/** What a point may have at most: the decoders' limits are far below. */
const MAX_BUCKETS = 100_000;
/** Points, below which a list for each bucket is not worth while. */
const SHORT_RUN = 4;
/** Buckets times points of a run. */
const MAX_CELLS = 32_000_000;

/** Bounds that many series have stand once. */
export class BoundsTable {
  readonly lists: (readonly number[])[] = [];
  readonly #places = new Map<string, number>();

  placeOf(bounds: readonly number[]): number {
    const last = this.lists.length - 1;
    if (this.lists[last] === bounds) return last;
    const key = bounds.join();
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.lists.push(bounds) - 1;
      this.#places.set(key, place);
    }
    return place;
  }

  write(writer: ByteWriter): void {
    writer.varint(this.lists.length);
    for (const bounds of this.lists) {
      writer.varint(bounds.length);
      writeColumn(writer, Float64Array.from(bounds));
    }
  }

  /** @throws {DamagedBytes} */
  static read(reader: ByteReader): (readonly number[])[] {
    const lists: (readonly number[])[] = [];
    for (let left = reader.varint(reader.remaining); left > 0; left--) {
      lists.push([...readColumn(reader, reader.varint(MAX_BUCKETS))]);
    }
    return lists;
  }
}

export function writeHistograms(
  writer: ByteWriter,
  histograms: readonly Histogram[],
  bounds: BoundsTable,
): void {
  for (let from = 0; from < histograms.length;) {
    const run = nextRun(histograms, from);
    writeRun(writer, histograms.slice(from, run.end), run.indexes, bounds);
    from = run.end;
  }
}

/** @throws {DamagedBytes} */
export function readHistograms(
  reader: ByteReader,
  count: number,
  bounds: readonly (readonly number[])[],
): Histogram[] {
  const histograms: Histogram[] = [];
  while (histograms.length < count) {
    const length = reader.varint(count - histograms.length);
    if (length === 0) throw new DamagedBytes("A run of histograms is empty");
    const run = readColumnsOfRun(reader, length, bounds);
    for (const histogram of histogramsOf(run)) histograms.push(histogram);
  }
  return histograms;
}

/**
 * The histograms of each run of points as one, as {@linkcode mergedRuns} makes them of {@linkcode readHistograms}: of
 * explicit buckets without an object for each point.
 *
 * @param edges of the runs
 * @throws {DamagedBytes}
 */
export function readMergedHistograms(
  reader: ByteReader,
  count: number,
  lists: readonly (readonly number[])[],
  edges: Uint32Array,
): Histogram[] {
  const before: Histogram[] = [];
  while (before.length < count) {
    const length = reader.varint(count - before.length);
    if (length === 0) throw new DamagedBytes("A run of histograms is empty");
    const run = readColumnsOfRun(reader, length, lists);
    const { bounds } = run.layout;
    const isPlain = bounds !== null && isNothing(run.mins) && isNothing(run.maxs);
    if (length === count && isPlain) return sumsOf(run, bounds, edges);
    for (const histogram of histogramsOf(run)) before.push(histogram);
  }
  return mergedRuns(before, edges);
}

function isNothing(values: Float64Array): boolean {
  for (let place = 0; place < values.length; place++) {
    if (!Number.isNaN(values[place])) return false;
  }
  return true;
}

function sumsOf(
  { columns, counts, sums }: RunColumns,
  bounds: readonly number[],
  edges: Uint32Array,
): Histogram[] {
  const histograms: Histogram[] = [];
  for (let run = 0; run < edges.length - 1; run++) {
    const from = edges[run] ?? 0;
    const to = edges[run + 1] ?? 0;
    let count = 0;
    let sum = 0;
    for (let row = from; row < to; row++) {
      // Of nothing the sum does not matter.
      if (counts[row] === 0) continue;
      count += counts[row] ?? 0;
      sum += sums[row] ?? NaN;
    }
    const isOne = to - from === 1;
    if (count === 0 && !isOne) {
      histograms.push(EMPTY_HISTOGRAM);
      continue;
    }
    const total = isOne ? known(sums[from]) : known(sum);
    const buckets = bounds.length === 0 && !isOne
      ? NO_BUCKETS
      : { kind: "explicit" as const, bounds, counts: bucketSums(columns, from, to) };
    histograms.push({ count, sum: total, min: null, max: null, buckets });
  }
  return histograms;
}

/** Rows in which nothing was counted have nothing in their buckets. */
function bucketSums(columns: readonly Float64Array[], from: number, to: number): number[] {
  const counts: number[] = [];
  for (const column of columns) {
    let sum = 0;
    for (let row = from; row < to; row++) sum += column[row] ?? 0;
    counts.push(sum);
  }
  return counts;
}

interface Indexes {
  readonly positive: readonly number[];
  readonly negative: readonly number[];
}

/** Where the run that begins here ends, and which exponential buckets it has. */
function nextRun(histograms: readonly Histogram[], from: number) {
  const first = histograms[from]?.buckets;
  const positive = new Set<number>();
  const negative = new Set<number>();
  let end = from;
  for (; end < histograms.length; end++) {
    const buckets = histograms[end]?.buckets;
    if (buckets === undefined || first === undefined || !isSameLayout(buckets, first)) break;
    if (buckets.kind === "explicit") continue;
    const more = newIndexes(buckets.positive, positive) + newIndexes(buckets.negative, negative);
    if (end > from && positive.size + negative.size + more > MAX_INDEXES) break;
    buckets.positive.indexes.forEach((index) => positive.add(index));
    buckets.negative.indexes.forEach((index) => negative.add(index));
  }
  const sorted = (indexes: Set<number>) => [...indexes].sort((one, other) => one - other);
  return { end, indexes: { positive: sorted(positive), negative: sorted(negative) } };
}

function newIndexes({ indexes }: SparseCounts, known: ReadonlySet<number>): number {
  let count = 0;
  for (const index of indexes) if (!known.has(index)) count++;
  return count;
}

function isSameLayout(one: Buckets, other: Buckets): boolean {
  if (one.kind === "explicit") {
    return other.kind === "explicit" && one.counts.length === other.counts.length &&
      areSameBounds(one.bounds, other.bounds);
  }
  return other.kind === "exponential" && one.scale === other.scale &&
    one.zeroThreshold === other.zeroThreshold;
}

function writeRun(
  writer: ByteWriter,
  run: readonly Histogram[],
  indexes: Indexes,
  bounds: BoundsTable,
): void {
  const [first] = run;
  if (first === undefined) return;
  writer.varint(run.length);
  const rows = run.map(({ buckets }) => rowOf(buckets, indexes));
  const { buckets } = first;
  if (buckets.kind === "explicit") {
    writer.byte(EXPLICIT);
    writer.varint(bounds.placeOf(buckets.bounds));
    writer.varint(buckets.counts.length);
  } else {
    writer.byte(EXPONENTIAL);
    writer.signed(buckets.scale);
    writer.double(buckets.zeroThreshold);
    writeIndexes(writer, indexes.positive);
    writeIndexes(writer, indexes.negative);
  }
  writeRows(writer, rows);
  const sums = columnOf(rows, (row) => row.reduce((sum, count) => sum + count, 0));
  writeColumn(writer, columnOf(run, ({ count }) => count), sums);
  writeColumn(writer, columnOf(run, ({ sum }) => sum ?? NaN));
  writeColumn(writer, columnOf(run, ({ min }) => min ?? NaN));
  writeColumn(writer, columnOf(run, ({ max }) => max ?? NaN));
}

/** Bucket by bucket; of few points one behind the other. */
function writeRows(writer: ByteWriter, rows: readonly (readonly number[])[]): void {
  const width = rows[0]?.length ?? 0;
  if (rows.length < SHORT_RUN) {
    const cells = newColumn(rows.length * width);
    for (const [place, row] of rows.entries()) cells.set(row, place * width);
    return writeColumn(writer, cells);
  }
  for (let bucket = 0; bucket < width; bucket++) {
    writeColumn(writer, columnOf(rows, (row) => row[bucket] ?? 0));
  }
}

/** A column for each bucket. @throws {DamagedBytes} */
function readColumns(reader: ByteReader, width: number, count: number): Float64Array[] {
  const columns: Float64Array[] = [];
  if (count < SHORT_RUN) {
    const cells = readColumn(reader, width * count);
    for (let bucket = 0; bucket < width; bucket++) {
      const column = newColumn(count);
      for (let row = 0; row < count; row++) column[row] = cells[row * width + bucket] ?? 0;
      columns.push(column);
    }
    return columns;
  }
  // Every column takes two bytes at least.
  if (width > reader.remaining) throw new DamagedBytes("A run has too many buckets");
  for (let bucket = 0; bucket < width; bucket++) columns.push(readColumn(reader, count));
  return columns;
}

/** Counts of all buckets of the run; of exponential ones the zero bucket comes first. */
function rowOf(buckets: Buckets, { positive, negative }: Indexes): readonly number[] {
  if (buckets.kind === "explicit") return buckets.counts;
  return [
    buckets.zeroCount,
    ...denseCounts(buckets.positive, positive),
    ...denseCounts(buckets.negative, negative),
  ];
}

function denseCounts({ indexes, counts }: SparseCounts, all: readonly number[]): number[] {
  let place = 0;
  return all.map((index) => indexes[place] === index ? counts[place++] ?? 0 : 0);
}

function writeIndexes(writer: ByteWriter, indexes: readonly number[]): void {
  writer.varint(indexes.length);
  writeColumn(writer, Float64Array.from(indexes));
}

/** A run as it is stored. */
interface RunColumns {
  readonly layout: Layout;
  /** A column for each bucket. */
  readonly columns: readonly Float64Array[];
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;
}

function readColumnsOfRun(
  reader: ByteReader,
  count: number,
  lists: readonly (readonly number[])[],
): RunColumns {
  const isExplicit = reader.byte() === EXPLICIT;
  const layout = isExplicit ? readExplicit(reader, lists) : readExponential(reader);
  if (layout.width * count > MAX_CELLS) {
    throw new DamagedBytes("A run has too many buckets");
  }
  const columns = readColumns(reader, layout.width, count);
  const totals = newColumn(count);
  for (const column of columns) addTo(totals, column);
  const counts = readColumn(reader, count, totals);
  const sums = readColumn(reader, count);
  const mins = readColumn(reader, count);
  const maxs = readColumn(reader, count);
  return { layout, columns, counts, sums, mins, maxs };
}

function histogramsOf({ layout, columns, counts, sums, mins, maxs }: RunColumns): Histogram[] {
  return Array.from(counts, (total, row) => ({
    count: total,
    sum: known(sums[row]),
    min: known(mins[row]),
    max: known(maxs[row]),
    buckets: layout.bucketsOf(columns.map((column) => column[row] ?? 0)),
  }));
}

interface Layout {
  readonly width: number;
  /** Of explicit buckets. */
  readonly bounds: readonly number[] | null;
  readonly bucketsOf: (row: number[]) => Buckets;
}

function readExplicit(reader: ByteReader, lists: readonly (readonly number[])[]): Layout {
  const bounds = lists[reader.varint()];
  if (bounds === undefined) throw new DamagedBytes("A run has unknown bounds");
  const width = reader.varint(MAX_BUCKETS);
  return { width, bounds, bucketsOf: (counts) => ({ kind: "explicit", bounds, counts }) };
}

function readExponential(reader: ByteReader): Layout {
  const scale = reader.signed();
  const zeroThreshold = reader.double();
  const positive = [...readColumn(reader, reader.varint(MAX_BUCKETS))];
  const negative = [...readColumn(reader, reader.varint(MAX_BUCKETS))];
  return {
    width: 1 + positive.length + negative.length,
    bounds: null,
    bucketsOf: (row) => ({
      kind: "exponential",
      scale,
      zeroThreshold,
      zeroCount: row[0] ?? 0,
      positive: sparseCounts(positive, row, 1),
      negative: sparseCounts(negative, row, 1 + positive.length),
    }),
  };
}

function sparseCounts(all: readonly number[], row: readonly number[], offset: number) {
  const indexes: number[] = [];
  const counts: number[] = [];
  for (const [place, index] of all.entries()) {
    const count = row[offset + place] ?? 0;
    if (count === 0) continue;
    indexes.push(index);
    counts.push(count);
  }
  return { indexes, counts };
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

function addTo(totals: Float64Array, column: Float64Array): void {
  for (let row = 0; row < totals.length; row++) {
    totals[row] = (totals[row] ?? 0) + (column[row] ?? 0);
  }
}
