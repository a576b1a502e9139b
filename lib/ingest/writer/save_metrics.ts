import { MINUTE_MS } from "../../core/time.ts";
import { packedBatch } from "../../metrics/codec/batch.ts";
import { compareIds, idsOf } from "../../metrics/ids.ts";
import { EXEMPLARS_A_MINUTE } from "../../metrics/series_limits.ts";
import type {
  Label,
  MetricBatch,
  MetricSeries,
  SeriesIdentity,
  SeriesLayout,
} from "../../records/metric_batch.ts";
import type { Transaction } from "../../store/database.ts";
import {
  type Columns,
  incoming,
  insertNew,
  type InsertOnly,
  saveRows,
  type Table,
} from "../../store/write_rows.ts";
import { nameOf, toArrayLiteral } from "../../store/values.ts";
import type { OtherRow } from "./rows.ts";

type Row = OtherRow<MetricBatch>;

const METRIC_BATCHES: InsertOnly<Row> = {
  name: "metric_batches",
  id: "batch_id",
  idOf: ({ record }) => record.batchId,
  key: ["received_at", "batch_id"],
  columns: {
    received_at: ["timestamptz", ({ record }) => record.receivedAt],
    batch_id: ["uuid", ({ record }) => record.batchId],
    slots: ["timestamptz[]", ({ record }) => toArrayLiteral(packedBatch(record).slots)],
    metric_ids: ["bigint[]", ({ record }) => toArrayLiteral(packedBatch(record).metricIds)],
    points: ["integer", ({ record }) => record.pointCount],
    body: ["long_base64", ({ record }) => packedBatch(record).body],
  },
};

/**
 * Writes the points of requests, which wait for `metrics/compact` from then on, and the series that are not known.
 *
 * @returns the rows that are new; the others are repeats
 */
export async function saveMetricBatches(
  tx: Transaction,
  rows: readonly Row[],
  known: KnownSeries,
): Promise<Row[]> {
  const stored = await insertNew(tx, METRIC_BATCHES, rows);
  await Promise.all([
    saveSeries(tx, known.findNew(stored)),
    saveRows(tx, METRIC_EXEMPLARS, stored.flatMap(exemplarsOf)),
  ]);
  return stored;
}

interface Stored {
  readonly projectId: string;
  readonly record: MetricBatch;
}

/**
 * Writes metrics and series that are new, or were not seen yet on that day; rows are locked in one order. A series is
 * first seen at its earliest point, a metric when it is stored: the newest of several of one name is the one that is
 * meant.
 */
async function saveSeries(tx: Transaction, fresh: readonly NewSeries[]): Promise<void> {
  if (fresh.length === 0) return;
  await saveMetrics(tx, fresh);
  for (const some of inPieces(fresh)) {
    const rows = some.map((each) => ({ ...each, labels: storableLabels(each.series.labels) }));
    await saveRows(tx, METRIC_SERIES, rows);
  }
}

const METRIC_COLUMNS: Columns<NewSeries> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  metric_id: ["bigint", ({ series }) => idsOf(series).metricId],
  name: ["text", ({ series }) => storableText(series.metric.name)],
  kind: ["text", ({ series }) => series.metric.kind],
  unit: ["text", ({ series }) => nameOf(series.metric.unit)],
  description: ["text", ({ series }) => storableText(series.metric.description)],
  seen_at: ["timestamptz", ({ seenAt }) => seenAt],
};

async function saveMetrics(tx: Transaction, fresh: readonly NewSeries[]): Promise<void> {
  const metrics = [
    ...new Map(fresh.map((each) => [`${each.projectId}/${idsOf(each.series).metricId}`, each]))
      .values(),
  ];
  await tx`
    insert into metrics (project_id, metric_id, name, kind, unit, description, first_seen, seen_on)
    select project_id, metric_id, name, kind, unit, description, seen_at, (seen_at at time zone 'UTC')::date
    from ${incoming(tx, metrics, METRIC_COLUMNS)}
    order by project_id, metric_id
    on conflict (project_id, metric_id) do update set
      seen_on = greatest(metrics.seen_on, excluded.seen_on),
      description = case when excluded.description = '' then metrics.description else excluded.description end
    where metrics.seen_on < excluded.seen_on
      or (metrics.description <> excluded.description and excluded.description <> '')
  `;
}

const METRIC_SERIES: Table<NewSeries & { readonly labels: Map<string, string> }> = {
  name: "metric_series",
  key: ["series_id"],
  columns: {
    series_id: ["bigint", ({ series }) => idsOf(series).seriesId],
    metric_id: ["bigint", ({ series }) => idsOf(series).metricId],
    temporality: ["text", ({ series }) => series.temporality],
    labels: ["json", ({ labels }) => JSON.stringify(Object.fromEntries(labels))],
    environment: ["text", ({ labels }) => nameOf(labels.get("environment") ?? "")],
    release: ["text", ({ labels }) => nameOf(labels.get("release") ?? "")],
    service: ["text", ({ labels }) => nameOf(labels.get("service") ?? "")],
    first_seen: ["timestamptz", ({ firstAt }) => firstAt, "least"],
    seen_on: ["date", ({ seenAt }) => seenAt.toISOString().slice(0, 10), "greatest"],
  },
  changesIf: "known.seen_on < excluded.seen_on or excluded.first_seen < known.first_seen",
};

/** Postgres refuses NUL, and half characters in JSON. */
function storableLabels(labels: readonly Label[]): Map<string, string> {
  return new Map(labels.map(([key, value]) => [storableText(key), storableText(value)]));
}

function storableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** Of points that are stored, as many as there is room for. */
const METRIC_EXEMPLARS: Table<ReturnType<typeof exemplarsOf>[number]> = {
  name: "metric_exemplars",
  key: ["metric_id", "minute", "series_id", "place"],
  columns: {
    metric_id: ["bigint", ({ metricId }) => metricId],
    minute: ["timestamptz", ({ minute }) => minute],
    series_id: ["bigint", ({ seriesId }) => seriesId],
    place: ["smallint", ({ place }) => place],
    timestamp: ["timestamptz", ({ time }) => time],
    value: ["double precision", ({ value }) => value],
    trace_id: ["uuid", ({ traceId }) => traceId],
    span_id: ["text", ({ spanId }) => spanId],
  },
};

function exemplarsOf({ projectId, record }: Stored) {
  // Series in columns have none.
  return (record.columns?.others ?? record.series).flatMap((series) =>
    series.exemplars.flatMap(({ timeMs, value, traceId, spanId }) => {
      if (traceId === null || !Number.isFinite(value)) return [];
      // A share of traces takes each place: of many a few stay, without counting them.
      const place = Number.parseInt(traceId.slice(-2), 16) % EXEMPLARS_A_MINUTE;
      const time = new Date(timeMs).toISOString();
      const minute = minuteOfExemplar(timeMs).toISOString();
      return [{ projectId, ...idsOf(series), minute, place, time, value, traceId, spanId }];
    })
  );
}

/** The minute that an exemplar is kept under, and the partition with it. */
export function minuteOfExemplar(timeMs: number): Date {
  return new Date(Math.floor(timeMs / MINUTE_MS) * MINUTE_MS);
}

/** Of labels in one statement: texts and what is sent to Postgres have their limits, and requests are committed together. */
const MAX_CHARACTERS = 16_000_000;

/**
 * Series in as many pieces as their labels are long for. Several are in the order of their ids, so that whoever writes
 * the same ones locks them in one order.
 */
export function inPieces(
  series: readonly NewSeries[],
  maxCharacters = MAX_CHARACTERS,
): readonly (readonly NewSeries[])[] {
  const whole = series.reduce((sum, each) => sum + lengthOf(each), 0);
  if (whole <= maxCharacters) return [series];
  const pieces: NewSeries[][] = [];
  let room = 0;
  for (const each of series.toSorted(byProjectAndId)) {
    const length = lengthOf(each);
    if (room < length || pieces.length === 0) {
      pieces.push([]);
      room = maxCharacters;
    }
    pieces.at(-1)?.push(each);
    room -= length;
  }
  return pieces;
}

function lengthOf({ series: { labels } }: NewSeries): number {
  let length = 0;
  for (const [key, value] of labels) length += key.length + value.length;
  return length;
}

function byProjectAndId(some: NewSeries, other: NewSeries): number {
  return compareIds(some.projectId, other.projectId) ||
    compareIds(idsOf(some.series).seriesId, idsOf(other.series).seriesId);
}

/** A series or a metric that may not be stored yet, or not as seen on this day. */
export interface NewSeries {
  readonly projectId: string;
  readonly series: SeriesIdentity | MetricSeries;
  readonly seenAt: Date;
  /** Of its earliest point; not later than `seenAt`. */
  readonly firstAt: Date;
}

/** Some 30 MB. */
const CAPACITY = 400_000;

/**
 * Knows which series are stored already, so that steady traffic writes each of them once a day. Forgetting costs a
 * write that changes nothing; it never costs a series.
 */
export class KnownSeries {
  /** By project and day. */
  #known = new Map<string, KnownOfDay>();
  #size = 0;

  /** The series of batches that are not known to be stored, each once. */
  findNew(rows: readonly Stored[]): NewSeries[] {
    const found = new Map<string, NewSeries>();
    for (const { projectId, record } of rows) {
      const { receivedAt } = record;
      const known = this.#known.get(placeOf(projectId, receivedAt));
      const layout = record.columns?.numbers.layout;
      // Usually each of them is known by now.
      const isKnown = layout !== undefined && known?.layouts.has(layout) === true;
      for (const series of isKnown ? record.columns?.others ?? [] : record.series) {
        const { seriesId } = idsOf(series);
        if (known?.ids.has(seriesId)) continue;
        const place = `${projectId}/${seriesId}`;
        const other = found.get(place);
        const first = firstOf(series, receivedAt);
        const firstAt = other !== undefined && other.firstAt < first ? other.firstAt : first;
        if (other !== undefined && other.seenAt >= receivedAt) {
          found.set(place, { ...other, firstAt });
        } else {
          found.set(place, { projectId, series, seenAt: receivedAt, firstAt });
        }
      }
    }
    return [...found.values()];
  }

  /** To be called after the commit, and only then. */
  remember(rows: readonly Stored[]): void {
    for (const { projectId, record } of rows) {
      const { receivedAt, columns } = record;
      if (this.#size > CAPACITY) this.#forget();
      const place = placeOf(projectId, receivedAt);
      const known = this.#known.get(place) ?? { ids: new Set(), layouts: new WeakSet() };
      this.#known.set(place, known);
      const before = known.ids.size;
      const layout = columns?.numbers.layout;
      if (layout !== undefined && !known.layouts.has(layout)) {
        known.layouts.add(layout);
        for (const series of layout.series) known.ids.add(idsOf(series).seriesId);
      }
      for (const series of columns?.others ?? record.series) known.ids.add(idsOf(series).seriesId);
      this.#size += known.ids.size - before;
    }
  }

  #forget(): void {
    this.#known = new Map();
    this.#size = 0;
  }
}

interface KnownOfDay {
  readonly ids: Set<string>;
  /** Of which every series is among the ids. */
  readonly layouts: WeakSet<SeriesLayout>;
}

/** When a series began as far as its points tell; clocks may be ahead. */
function firstOf({ points }: MetricSeries, receivedAt: Date): Date {
  let firstMs = receivedAt.getTime();
  for (const { timeMs } of points) if (timeMs < firstMs) firstMs = timeMs;
  return new Date(firstMs);
}

function placeOf(projectId: string, time: Date): string {
  return `${time.toISOString().slice(0, 10)}/${projectId}`;
}
