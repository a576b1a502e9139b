/** Metrics as OTLP: a line has the points of a metric in two hours, as they were sent. */
import { HOUR_MS } from "../../core/time.ts";
import { keyValues, nanosOfMs } from "../../formats/otlp/write.ts";
import { nextSlot, type RawSeries, readRaw } from "../../metrics/mod.ts";
import type { Buckets, Label, MetricKind, SparseCounts } from "../../records/mod.ts";
import type { Sql } from "../../store/database.ts";
import { atPoints, type Exemplars, MOST_EXEMPLARS, readExemplars } from "./exemplars.ts";
import { type ExportSource, linesOf } from "./source.ts";

/** As points are kept together. */
const SLOT_MS = 2 * HOUR_MS;

interface MetricRow {
  readonly id: string;
  readonly name: string;
  readonly kind: MetricKind;
  readonly unit: string;
  readonly description: string;
}

/** Cursor: the metric, and the end of what was read of it, in milliseconds since 1970. */
export const metrics: ExportSource = {
  name: "metrics",
  async next(stores, range, cursor) {
    const { sql } = stores;
    const { projectId } = range;
    const [id = "0", readTo = ""] = cursor?.split("|") ?? [];
    const metric = await metricFrom(sql, projectId, id);
    if (metric === null) return { cursor: null, counts: {}, pieces: [] };
    const after = String(BigInt(metric.id) + 1n);
    const [since, until] = [range.since.getTime(), range.until.getTime()];
    const from = metric.id === id && readTo !== "" ? Number(readTo) : since;
    const slot = await nextSlot(sql, projectId, metric.id, from);
    if (slot === null || slot >= until) return { cursor: after, counts: {}, pieces: [] };
    const time = { startMs: Math.max(slot, since), endMs: Math.min(slot + SLOT_MS, until) };
    const [{ series }, exemplars] = await Promise.all([
      readRaw(stores, projectId, {
        metricId: metric.id,
        kind: metric.kind,
        seriesIds: null,
        ...time,
      }),
      readExemplars(sql, projectId, metric.id, time),
    ]);
    const labels = await labelsOf(sql, projectId, series);
    return {
      cursor: `${metric.id}|${slot + SLOT_MS}`,
      counts: { metric_points: series.reduce((sum, { times }) => sum + times.length, 0) },
      pieces: linesOf(
        "metrics.jsonl",
        inLines(series, exemplars).map((some) => ({
          resourceMetrics: resourceMetrics(metric, some, { labels, exemplars }),
        })),
      ),
    };
  },
};

/** Few enough points for every reader; a series stays whole. */
const LINE_POINTS = 5_000;

function inLines(series: readonly RawSeries[], exemplars: Exemplars): RawSeries[][] {
  const lines: RawSeries[][] = [];
  let room = { points: 0, exemplars: 0 };
  for (const each of series) {
    const own = exemplars.get(each.seriesId)?.length ?? 0;
    if (lines.length === 0 || room.points < each.times.length || room.exemplars < own) {
      lines.push([]);
      room = { points: LINE_POINTS, exemplars: MOST_EXEMPLARS };
    }
    lines.at(-1)?.push(each);
    room.points -= each.times.length;
    room.exemplars -= own;
  }
  return lines;
}

/** The metric with the first id from one on; null: there is none. */
async function metricFrom(sql: Sql, projectId: string, id: string): Promise<MetricRow | null> {
  const [metric] = await sql<MetricRow[]>`
    select metric_id as id, name, kind, unit, description from metrics
    where project_id = ${projectId} and metric_id >= ${id}
    order by metric_id limit 1
  `;
  return metric ?? null;
}

async function labelsOf(
  sql: Sql,
  projectId: string,
  series: readonly RawSeries[],
): Promise<Map<string, readonly Label[]>> {
  const rows = await sql<{ id: string; labels: Record<string, string> }[]>`
    select series_id as id, labels from metric_series
    where project_id = ${projectId}
      and series_id = any (${series.map(({ seriesId }) => seriesId)}::bigint[])
  `;
  return new Map(rows.map(({ id, labels }) => [id, Object.entries(labels)]));
}

/** The scope's three, by the names that OpenTelemetry gives them. */
const RESOURCE: Readonly<Record<string, string>> = {
  service: "service.name",
  environment: "deployment.environment.name",
  release: "service.version",
};

function resourceMetrics(
  metric: MetricRow,
  series: readonly RawSeries[],
  { labels, exemplars }: {
    readonly labels: ReadonlyMap<string, readonly Label[]>;
    readonly exemplars: Exemplars;
  },
) {
  const sorted = Map.groupBy(series, ({ seriesId, temporality }) => {
    const own = labels.get(seriesId) ?? [];
    const three = own.filter(([key]) => Object.hasOwn(RESOURCE, key));
    return JSON.stringify([temporality, three.map(([key, value]) => [RESOURCE[key], value])]);
  });
  return [...sorted].map(([key, some]) => {
    const [temporality, resource] = JSON.parse(key);
    const own = (seriesId: string) =>
      keyValues(Object.fromEntries(
        (labels.get(seriesId) ?? []).filter(([name]) => !Object.hasOwn(RESOURCE, name)),
      ));
    const { name, unit, description } = metric;
    return {
      resource: { attributes: keyValues(Object.fromEntries(resource)) },
      scopeMetrics: [{
        scope: {},
        metrics: formsOf(some, own, exemplars).map((form) => ({
          name,
          ...(unit !== "" && { unit }),
          ...(description !== "" && { description }),
          ...dataOf(metric.kind, temporality, form),
        })),
      }],
    };
  });
}

type Points = readonly Readonly<Record<string, unknown>>[];

/** Points of one form: histograms with bounds and exponential ones may take turns in a series. */
interface Form {
  readonly name: "number" | "histogram" | "exponentialHistogram";
  readonly points: Points;
}

function formsOf(
  series: readonly RawSeries[],
  attributesOf: (seriesId: string) => ReturnType<typeof keyValues>,
  exemplars: Exemplars,
): Form[] {
  const points = series.flatMap((each) => pointsOf(each, attributesOf(each.seriesId), exemplars));
  return [...Map.groupBy(points, ({ name }) => name)].map(([name, some]) => ({
    name,
    points: some.map(({ point }) => point),
  }));
}

interface NamedPoint {
  readonly name: Form["name"];
  readonly point: Points[number];
}

function pointsOf(
  series: RawSeries,
  attributes: ReturnType<typeof keyValues>,
  exemplars: Exemplars,
): readonly NamedPoint[] {
  const placed = atPoints(series, exemplars);
  const place = (index: number) => {
    const startMs = series.starts[index] ?? 0;
    const own = placed.get(index);
    return {
      attributes,
      ...(startMs > 0 && { startTimeUnixNano: nanosOfMs(startMs) }),
      timeUnixNano: nanosOfMs(series.times[index] ?? 0),
      ...(own !== undefined && { exemplars: own }),
    };
  };
  if (series.shape === "number") {
    return Array.from(series.values, (value, index) => ({
      name: "number",
      point: { ...place(index), asDouble: value },
    }));
  }
  return series.values.map(({ count, sum, min, max, buckets }, index) => ({
    name: buckets.kind === "explicit" ? "histogram" : "exponentialHistogram",
    point: {
      ...place(index),
      count: String(count),
      ...(sum !== null && { sum }),
      ...(min !== null && { min }),
      ...(max !== null && { max }),
      ...bucketsOf(buckets),
    },
  }));
}

function bucketsOf(buckets: Buckets) {
  if (buckets.kind === "explicit") {
    return { explicitBounds: buckets.bounds, bucketCounts: buckets.counts.map(String) };
  }
  const { scale, zeroCount, zeroThreshold, positive, negative } = buckets;
  return {
    scale,
    zeroCount: String(zeroCount),
    zeroThreshold,
    positive: dense(positive),
    negative: dense(negative),
  };
}

/** With every bucket between the first and the last. */
function dense({ indexes, counts }: SparseCounts) {
  const offset = indexes[0] ?? 0;
  const bucketCounts: string[] = [];
  for (const [place, index] of indexes.entries()) {
    while (bucketCounts.length < index - offset) bucketCounts.push("0");
    bucketCounts.push(String(counts[place] ?? 0));
  }
  return { offset, bucketCounts };
}

const DELTA = 1;
const CUMULATIVE = 2;

/** Observations that both count are told as what was added, which is what they are. */
function dataOf(kind: MetricKind, temporality: string, { name, points }: Form) {
  if (kind === "gauge") return { gauge: { dataPoints: points } };
  const aggregationTemporality = temporality === "cumulative" ? CUMULATIVE : DELTA;
  return kind === "counter"
    ? {
      sum: {
        dataPoints: points,
        aggregationTemporality,
        isMonotonic: aggregationTemporality === CUMULATIVE || isGrowing(points),
      },
    }
    : { [name]: { dataPoints: points, aggregationTemporality } };
}

/** Sentry's counters may take back. */
function isGrowing(points: Points): boolean {
  return points.every(({ asDouble }) => typeof asDouble === "number" && asDouble >= 0);
}
