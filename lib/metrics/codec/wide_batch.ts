/**
 * The points of a request of which each is of another series: which series these are, the same bytes for each request that
 * has the same ones, then times, starts and values as three columns. What is not in the columns follows as in `batch.ts`.
 */
import { Buffer } from "node:buffer";
import { ByteReader, ByteWriter, DamagedBytes } from "../../core/bytes.ts";
import type {
  BatchColumns,
  MetricKind,
  NumberColumns,
  SeriesLayout,
  Temporality,
} from "../../records/metric_batch.ts";
import { idsOf } from "../ids.ts";
import { newColumn } from "../points.ts";
import { slotOf } from "../slots.ts";
import { COMPRESSION, KINDS, pack, TEMPORALITIES, unpack } from "./block.ts";
import { readColumn, writeColumn } from "./columns.ts";

/** In front of such a batch; those of rows have 1. */
export const WIDE = 2;
const MAX_SERIES = 1_000_000;
const ID_BYTES = 8;
/** For what is short, in bytes. */
const ROOM = 64;

/** Series of a metric that stand in a row. */
interface Run {
  readonly metricId: string;
  readonly kind: MetricKind;
  readonly temporality: Temporality;
  readonly from: number;
  readonly to: number;
}

/** Which series a batch has. */
export interface WideHead {
  readonly runs: readonly Run[];
  readonly seriesIds: readonly string[];
}

/** What is made of a layout once. */
interface LayoutFacts {
  readonly head: Uint8Array;
  readonly runs: readonly Run[];
  readonly metricIds: readonly string[];
}

const facts = new WeakMap<SeriesLayout, LayoutFacts>();

function factsOf(layout: SeriesLayout): LayoutFacts {
  let known = facts.get(layout);
  if (known === undefined) {
    const runs = runsOf(layout);
    const metricIds = [...new Set(runs.map(({ metricId }) => metricId))];
    facts.set(layout, known = { head: headOf(layout, runs), runs, metricIds });
  }
  return known;
}

function runsOf({ series }: SeriesLayout): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let to = 1; to <= series.length; to++) {
    const [first, next] = [series[from], series[to]];
    if (first === undefined) break;
    if (next?.metric === first.metric && next.temporality === first.temporality) continue;
    const { metric: { kind }, temporality } = first;
    runs.push({ metricId: idsOf(first).metricId, kind, temporality, from, to });
    from = to;
  }
  return runs;
}

function headOf({ series }: SeriesLayout, runs: readonly Run[]): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(runs.length);
  for (const { metricId, kind, temporality, from, to } of runs) {
    writer.id(metricId);
    writer.byte(KINDS.indexOf(kind));
    writer.byte(TEMPORALITIES.indexOf(temporality));
    writer.varint(to - from);
  }
  for (const each of series) writer.id(idsOf(each).seriesId);
  return writer.written();
}

/** Ids of the metrics that have points in columns. */
export function metricsIn({ layout }: NumberColumns): readonly string[] {
  return factsOf(layout).metricIds;
}

/** Adds the beginnings of the slots that the points of columns lie in. */
export function addSlots({ layout, times }: NumberColumns, slots: Set<number>): void {
  for (const { kind, from, to } of factsOf(layout).runs) {
    let last = NaN;
    for (let place = from; place < to; place++) {
      const time = times[place] ?? 0;
      if (time === last) continue;
      last = time;
      slots.add(slotOf(kind, time));
    }
  }
}

/** @param others what `batch.ts` makes of the series beside the columns */
export function encodeWide({ numbers }: BatchColumns, others: Uint8Array): Uint8Array {
  const { head } = factsOf(numbers.layout);
  const { values } = numbers;
  // Times and starts are nearly always one each.
  const inner = new ByteWriter(values.byteLength + others.length + ROOM);
  writeColumn(inner, micros(numbers.times));
  writeColumn(inner, micros(numbers.starts));
  inner.bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  inner.bytes(others);
  const packed = pack(inner.written(), COMPRESSION.fast);
  const writer = new ByteWriter(head.length + packed.length + ROOM);
  writer.byte(WIDE);
  writer.varint(head.length);
  writer.bytes(head);
  writer.bytes(packed);
  return writer.written();
}

/** Times to the microsecond. */
function micros(times: Float64Array): Float64Array {
  const rounded = newColumn(times.length);
  for (let place = 0; place < times.length; place++) {
    rounded[place] = Math.round((times[place] ?? 0) * 1_000) / 1_000;
  }
  return rounded;
}

/** A batch as it is read: its head is only understood when somebody asks. */
export interface WideBatch {
  readonly head: Uint8Array;
  readonly times: Float64Array;
  readonly starts: Float64Array;
  readonly values: Float64Array;
  /** As `batch.ts` has them. */
  readonly others: Uint8Array;
}

/** @throws {DamagedBytes} */
export function readWide(bytes: Uint8Array): WideBatch {
  const outer = new ByteReader(bytes);
  if (outer.byte() !== WIDE) throw new DamagedBytes("The batch is not in columns");
  const head = outer.bytes(outer.varint(outer.remaining));
  const reader = new ByteReader(unpack(outer.bytes(outer.remaining)));
  const count = seriesIn(head);
  const times = readColumn(reader, count);
  const starts = readColumn(reader, count);
  // A copy: doubles have to lie at whole places.
  const values = new Float64Array(new Uint8Array(reader.bytes(count * ID_BYTES)).buffer);
  return { head, times, starts, values, others: reader.bytes(reader.remaining) };
}

function seriesIn(head: Uint8Array): number {
  const reader = new ByteReader(head);
  let count = 0;
  for (let left = reader.varint(MAX_SERIES); left > 0; left--) {
    reader.skip(ID_BYTES + 2);
    count += reader.varint(MAX_SERIES);
  }
  if (reader.remaining !== count * ID_BYTES) throw new DamagedBytes("A head has other series");
  return count;
}

/** Some 20 MB; so few that looking through them takes no time. */
const MOST_KNOWN = { series: 200_000, heads: 100 };
/** Heads that were packed last, the newest first. */
const knownHeads: { readonly bytes: Uint8Array; readonly head: WideHead }[] = [];

/**
 * As {@linkcode readHead}, for heads that come again with every pack: those of who sends all the time.
 *
 * @throws {DamagedBytes}
 */
export function readKnownHead(bytes: Uint8Array): WideHead {
  const place = knownHeads.findIndex((each) => areSameBytes(each.bytes, bytes));
  // A copy, which slice() of a Buffer is not: they are a part of much more.
  const known = knownHeads.splice(place, place === -1 ? 0 : 1)[0] ??
    { bytes: new Uint8Array(bytes), head: readHead(bytes) };
  knownHeads.unshift(known);
  let room = MOST_KNOWN.series;
  const isOver = (head: WideHead, at: number) =>
    (room -= head.seriesIds.length) < 0 || at === MOST_KNOWN.heads;
  const kept = knownHeads.findIndex(({ head }, at) => isOver(head, at));
  if (kept !== -1) knownHeads.length = kept;
  return known.head;
}

export function areSameBytes(some: Uint8Array, others: Uint8Array): boolean {
  return some.length === others.length && Buffer.compare(some, others) === 0;
}

/** @throws {DamagedBytes} */
export function readHead(head: Uint8Array): WideHead {
  const reader = new ByteReader(head);
  const runs: Run[] = [];
  let from = 0;
  for (let left = reader.varint(MAX_SERIES); left > 0; left--) {
    const metricId = reader.id();
    const kind = KINDS[reader.byte()];
    const temporality = TEMPORALITIES[reader.byte()];
    const to = from + reader.varint(MAX_SERIES);
    if (kind === undefined || temporality === undefined) {
      throw new DamagedBytes("A metric has an unknown kind");
    }
    runs.push({ metricId, kind, temporality, from, to });
    from = to;
  }
  const seriesIds = Array.from({ length: from }, () => reader.id());
  return { runs, seriesIds };
}
