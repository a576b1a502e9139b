/** The points of a request as bytes: what {@linkcode MetricBatch} has, series by ids, a section for each metric. */
import type { MetricBatch, MetricKind, MetricSeries } from "../../records/metric_batch.ts";
import { idsOf } from "../ids.ts";
import { columnOf, isRaw, newColumn, type RawNumbers, type RawSeries } from "../points.ts";
import { slotOf } from "../slots.ts";
import { COMPRESSION, KINDS, pack, readSection, unpack, writeSection } from "./block.ts";
import { ByteReader, ByteWriter, DamagedBytes } from "../../core/bytes.ts";
import {
  addSlots,
  encodeWide,
  metricsIn,
  readHead,
  readWide,
  WIDE,
  type WideBatch,
  type WideHead,
} from "./wide_batch.ts";

/** Some series of one metric. */
export interface MetricSection {
  readonly metricId: string;
  readonly kind: MetricKind;
  readonly series: readonly RawSeries[];
}

/** Which metrics, or which series of one, are read; null: all. */
interface SectionFilter {
  readonly metricId: string;
  readonly seriesIds: ReadonlySet<string> | null;
}

function encodeBatch(batch: MetricBatch): Uint8Array {
  const { columns } = batch;
  if (columns === undefined) return pack(encodeSections(batch.series), COMPRESSION.fast);
  return encodeWide(columns, encodeSections(columns.others));
}

/** Series without points are left out. */
function encodeSections(series: readonly MetricSeries[]): Uint8Array {
  const timeline = new Timeline();
  const withPoints = series.filter(({ points }) => points.length > 0);
  const byMetric = Map.groupBy(withPoints, (each) => idsOf(each).metricId);
  const writer = new ByteWriter();
  const section = new ByteWriter();
  writer.varint(byMetric.size);
  for (const [metricId, some] of byMetric) {
    const kind = some[0]?.metric.kind ?? "gauge";
    section.clear();
    writeSection(section, some.map((each) => rawSeriesOf(each, timeline)));
    writer.id(metricId);
    writer.byte(KINDS.indexOf(kind));
    writer.varint(section.length);
    writer.bytes(section.written());
  }
  return writer.written();
}

/** The points of a request, series by series. @throws {DamagedBytes} */
export function decodeBatch(
  bytes: Uint8Array,
  filter: SectionFilter | null = null,
): MetricSection[] {
  const { wide, others } = openBatch(bytes);
  const rest = decodeSections(others, filter);
  return wide === null ? rest : [...wideSections([wide], readHead(wide.head), filter), ...rest];
}

/** What is in a batch: columns, and sections that are not read yet. @throws {DamagedBytes} */
export function openBatch(bytes: Uint8Array): { wide: WideBatch | null; others: Uint8Array } {
  if (bytes[0] !== WIDE) return { wide: null, others: unpack(bytes) };
  const wide = readWide(bytes);
  return { wide, others: wide.others };
}

/**
 * The points of batches that have the same series: in the order in which they came or, when each batch is of one time, by
 * time, of two at one time the one that came later behind.
 *
 * @param head of all of them
 */
export function wideSections(
  batches: readonly WideBatch[],
  { runs, seriesIds }: WideHead,
  filter: SectionFilter | null = null,
): MetricSection[] {
  const columns = transposed(batches);
  return runs.flatMap(({ metricId, kind, temporality, from, to }) => {
    if (filter !== null && filter.metricId !== metricId) return [];
    const series: RawNumbers[] = [];
    for (let place = from; place < to; place++) {
      const seriesId = seriesIds[place] ?? "";
      if (filter?.seriesIds?.has(seriesId) === false) continue;
      const times = columns.times(place);
      const starts = columns.starts(place);
      const values = columns.values(place);
      series.push({ shape: "number", seriesId, temporality, times, starts, values });
    }
    return series.length === 0 ? [] : [{ metricId, kind, series }];
  });
}

/** Gives the column of a series. */
type ColumnAt = (place: number) => Float64Array;

function transposed(batches: readonly WideBatch[]) {
  const isAtOnce = batches.every(({ times }) => isConstant(times));
  const sorted = isAtOnce
    ? batches.toSorted((one, other) => (one.times[0] ?? 0) - (other.times[0] ?? 0))
    : batches;
  return {
    times: columnsOf(sorted.map(({ times }) => times), isAtOnce),
    starts: columnsOf(
      sorted.map(({ starts }) => starts),
      sorted.every(({ starts }) => isConstant(starts)),
    ),
    values: columnAt(sorted.map(({ values }) => values)),
  };
}

function columnAt(lists: readonly Float64Array[]): ColumnAt {
  return (place) => {
    const column = newColumn(lists.length);
    for (let row = 0; row < column.length; row++) column[row] = lists[row]?.[place] ?? 0;
    return column;
  };
}

/**
 * Columns that are equal to the one before are that one: lists that are one are told from others at once.
 *
 * @param areConstant whether each list has one value, and so all series the same column
 */
function columnsOf(lists: readonly Float64Array[], areConstant: boolean): ColumnAt {
  const make = columnAt(lists);
  let last = make(0);
  if (areConstant) return () => last;
  return (place) => {
    for (let row = 0; row < lists.length; row++) {
      if (lists[row]?.[place] !== last[row]) return last = make(place);
    }
    return last;
  };
}

function isConstant(list: Float64Array): boolean {
  const [first] = list;
  for (let place = 1; place < list.length; place++) if (list[place] !== first) return false;
  return true;
}

/** @throws {DamagedBytes} */
export function decodeSections(
  bytes: Uint8Array,
  filter: SectionFilter | null = null,
): MetricSection[] {
  const reader = new ByteReader(bytes);
  const sections: MetricSection[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const metricId = reader.id();
    const kind = KINDS[reader.byte()];
    const body = reader.bytes(reader.varint());
    if (kind === undefined) throw new DamagedBytes("A metric has an unknown kind");
    if (filter !== null && filter.metricId !== metricId) continue;
    const read = readSection(new ByteReader(body), filter?.seriesIds ?? null);
    const series = read.filter(isRaw);
    if (series.length < read.length) throw new DamagedBytes("A batch has no points as written");
    sections.push({ metricId, kind, series });
  }
  return sections;
}

/** Times of the series before, which most others have as well. */
class Timeline {
  #last: Float64Array = new Float64Array();

  of(points: readonly { readonly timeMs: number }[]): Float64Array {
    const last = this.#last;
    let isSame = last.length === points.length;
    for (let place = 0; isSame && place < last.length; place++) {
      isSame = last[place] === toMicros(points[place]?.timeMs ?? 0);
    }
    return isSame ? last : this.#last = columnOf(points, ({ timeMs }) => toMicros(timeMs));
  }
}

/** Points in columns, by ascending time, with times to the microsecond. */
function rawSeriesOf(series: MetricSeries, timeline: Timeline): RawSeries {
  const { seriesId } = idsOf(series);
  const { temporality } = series;
  if (series.shape === "histogram") {
    const points = byTime(series.points);
    return {
      shape: "histogram",
      seriesId,
      temporality,
      times: timeline.of(points),
      starts: startsOf(points),
      values: points.map(({ count, sum, min, max, buckets }) => ({
        count,
        sum,
        min,
        max,
        buckets,
      })),
    };
  }
  const points = byTime(series.points);
  return {
    shape: "number",
    seriesId,
    temporality,
    times: timeline.of(points),
    starts: startsOf(points),
    values: columnOf(points, ({ value }) => value),
  };
}

interface Timed {
  readonly timeMs: number;
  readonly startMs: number;
}

function byTime<P extends Timed>(points: readonly P[]): readonly P[] {
  return points.length === 1 ? points : points.toSorted((one, other) => one.timeMs - other.timeMs);
}

function startsOf(points: readonly Timed[]): Float64Array {
  return columnOf(points, ({ startMs }) => toMicros(startMs));
}

function toMicros(timeMs: number): number {
  return Math.round(timeMs * 1_000) / 1_000;
}

/** What of a request goes into its row. */
interface PackedBatch {
  /** Base64. */
  readonly body: string;
  /** Beginnings of the slots that its points lie in. */
  readonly slots: readonly Date[];
  readonly metricIds: readonly string[];
}

const packed = new WeakMap<MetricBatch, PackedBatch>();

/** The points of a request in their packed form, made once. @throws {RangeError} when a time is no date */
export function packedBatch(batch: MetricBatch): PackedBatch {
  let row = packed.get(batch);
  if (row === undefined) {
    const { columns } = batch;
    const slots = new Set<number>();
    const metricIds = new Set(columns === undefined ? [] : metricsIn(columns.numbers));
    if (columns !== undefined) addSlots(columns.numbers, slots);
    for (const series of columns?.others ?? batch.series) {
      metricIds.add(idsOf(series).metricId);
      for (const { timeMs } of series.points) slots.add(slotOf(series.metric.kind, timeMs));
    }
    packed.set(
      batch,
      row = {
        body: encodeBatch(batch).toBase64(),
        slots: [...slots].map(validDate),
        metricIds: [...metricIds],
      },
    );
  }
  return row;
}

function validDate(timeMs: number): Date {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) throw new RangeError("Cannot store: invalid time");
  return date;
}
