/** Writes who the points are of: metrics, series, and a few exemplars. */
import type { Transaction } from "../../store/database.ts";
import type { Label, MetricBatch } from "../../records/metric_batch.ts";
import { SEPARATOR } from "./event_row.ts";
import { nameOf } from "./record_row.ts";
import { idsOf } from "../../metrics/ids.ts";
import { EXEMPLARS_A_MINUTE } from "../../metrics/limits.ts";
import { MINUTE_MS } from "../../metrics/slots.ts";
import { inPieces } from "./in_pieces.ts";
import type { NewSeries } from "./known_series.ts";

interface Stored {
  readonly projectId: string;
  readonly record: MetricBatch;
}

/**
 * Writes metrics and series that are new, or were not seen yet on that day; rows are locked in one order. A series is
 * first seen at its earliest point, a metric when it is stored: the newest of several of one name is the one that is
 * meant.
 */
export async function saveSeries(tx: Transaction, fresh: readonly NewSeries[]): Promise<void> {
  if (fresh.length === 0) return;
  await saveMetrics(tx, fresh);
  for (const some of inPieces(fresh)) await saveLabels(tx, some);
}

async function saveMetrics(tx: Transaction, fresh: readonly NewSeries[]): Promise<void> {
  const metrics = [
    ...new Map(fresh.map((each) => [`${each.projectId}/${idsOf(each.series).metricId}`, each]))
      .values(),
  ];
  await tx`
    insert into metrics (project_id, metric_id, name, kind, unit, description, first_seen, seen_on)
    select project_id, metric_id, name, kind, unit, description, seen_at, (seen_at at time zone 'UTC')::date
    from unnest(
      ${metrics.map(({ projectId }) => projectId)}::bigint[],
      ${metrics.map(({ series }) => idsOf(series).metricId)}::bigint[],
      ${metrics.map(({ series }) => storableText(series.metric.name))}::text[],
      ${metrics.map(({ series }) => series.metric.kind)}::text[],
      ${metrics.map(({ series }) => nameOf(series.metric.unit))}::text[],
      ${metrics.map(({ series }) => storableText(series.metric.description))}::text[],
      ${metrics.map(({ seenAt }) => seenAt.toISOString())}::text[]::timestamptz[]
    ) as incoming (project_id, metric_id, name, kind, unit, description, seen_at)
    order by project_id, metric_id
    on conflict (project_id, metric_id) do update set
      seen_on = greatest(metrics.seen_on, excluded.seen_on),
      description = case when excluded.description = '' then metrics.description else excluded.description end
    where metrics.seen_on < excluded.seen_on
      or (metrics.description <> excluded.description and excluded.description <> '')
  `;
}

async function saveLabels(tx: Transaction, fresh: readonly NewSeries[]): Promise<void> {
  const labels = fresh.map(({ series }) => storableLabels(series.labels));
  const named = (key: string) => labels.map((object) => nameOf(object.get(key) ?? ""));
  await tx`
    insert into metric_series (
      project_id, series_id, metric_id, temporality, labels, environment, release, service, first_seen, seen_on
    )
    select project_id, series_id, metric_id, temporality, labels, environment, release, service, first_at,
      (seen_at at time zone 'UTC')::date
    from unnest(
      ${fresh.map(({ projectId }) => projectId)}::bigint[],
      ${fresh.map(({ series }) => idsOf(series).seriesId)}::bigint[],
      ${fresh.map(({ series }) => idsOf(series).metricId)}::bigint[],
      ${fresh.map(({ series }) => series.temporality)}::text[],
      string_to_array(
        ${labels.map((object) => JSON.stringify(Object.fromEntries(object))).join(SEPARATOR)},
        chr(30)
      )::jsonb[],
      ${named("environment")}::text[],
      ${named("release")}::text[],
      ${named("service")}::text[],
      ${fresh.map(({ firstAt }) => firstAt.toISOString())}::text[]::timestamptz[],
      ${fresh.map(({ seenAt }) => seenAt.toISOString())}::text[]::timestamptz[]
    ) as incoming (
      project_id, series_id, metric_id, temporality, labels, environment, release, service, first_at, seen_at
    )
    order by project_id, series_id
    on conflict (project_id, series_id) do update set
      first_seen = least(metric_series.first_seen, excluded.first_seen),
      seen_on = greatest(metric_series.seen_on, excluded.seen_on)
    where metric_series.seen_on < excluded.seen_on or excluded.first_seen < metric_series.first_seen
  `;
}

/** Postgres refuses NUL, and half characters in JSON. */
function storableLabels(labels: readonly Label[]): Map<string, string> {
  return new Map(labels.map(([key, value]) => [storableText(key), storableText(value)]));
}

function storableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** Writes exemplars of points that are stored, as many as there is room for. */
export async function saveExemplars(tx: Transaction, rows: readonly Stored[]): Promise<void> {
  const exemplars = rows.flatMap(exemplarsOf);
  if (exemplars.length === 0) return;
  await tx`
    insert into metric_exemplars (
      project_id, metric_id, minute, series_id, place, "timestamp", value, trace_id, span_id
    )
    select * from unnest(
      ${exemplars.map(({ projectId }) => projectId)}::bigint[],
      ${exemplars.map(({ metricId }) => metricId)}::bigint[],
      ${exemplars.map(({ minute }) => minute)}::text[]::timestamptz[],
      ${exemplars.map(({ seriesId }) => seriesId)}::bigint[],
      ${exemplars.map(({ place }) => place)}::smallint[],
      ${exemplars.map(({ time }) => time)}::text[]::timestamptz[],
      ${exemplars.map(({ value }) => value)}::double precision[],
      ${exemplars.map(({ traceId }) => traceId)}::uuid[],
      ${exemplars.map(({ spanId }) => spanId)}::text[]
    ) as incoming (project_id, metric_id, minute, series_id, place, "timestamp", value, trace_id, span_id)
    order by project_id, metric_id, minute, series_id, place
    on conflict (project_id, metric_id, minute, series_id, place) do nothing
  `;
}

function exemplarsOf({ projectId, record }: Stored) {
  return record.series.flatMap((series) =>
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
