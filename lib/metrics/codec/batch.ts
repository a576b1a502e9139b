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
 * The points of batches that have the same series, in the order in which they came.
 *
 * @param head of all of them
 */
export function wideSections(
  batches: readonly WideBatch[],
  { runs, seriesIds }: WideHead,
  filter: SectionFilter | null = null,
): MetricSection[] {
  return runs.flatMap(({ metricId, kind, temporality, from, to }) => {
    if (filter !== null && filter.metricId !== metricId) return [];
    const series: RawNumbers[] = [];
    let last = newColumn(0);
    for (let place = from; place < to; place++) {
      const seriesId = seriesIds[place] ?? "";
      if (filter?.seriesIds?.has(seriesId) === false) continue;
      const times = newColumn(batches.length);
      const starts = newColumn(batches.length);
      const values = newColumn(batches.length);
      let isSame = last.length === batches.length;
      for (let row = 0; row < batches.length; row++) {
        const batch = batches[row];
        const time = batch?.times[place] ?? 0;
        times[row] = time;
        if (isSame && last[row] !== time) isSame = false;
        starts[row] = batch?.starts[place] ?? 0;
        values[row] = batch?.values[place] ?? 0;
      }
      // Lists of times that are one are told from others at once.
      if (!isSame) last = times;
      const shape = "number";
      series.push({ shape, seriesId, temporality, times: last, starts, values });
    }
    return series.length === 0 ? [] : [{ metricId, kind, series }];
  });
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
  /** Hexadecimal digits. */
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
        body: encodeBatch(batch).toHex(),
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
