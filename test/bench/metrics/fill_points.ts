/** Stores points as intake does, and compacts them as time would. */
import type { Sql } from "@/lib/store/database.ts";
import { compactProject } from "@/lib/metrics/compact/compact_project.ts";
import type { MetricSeries } from "@/lib/records/mod.ts";
import { openWriter } from "@/lib/ingest/writer/writer.ts";
import {
  counterSeries,
  explicitBuckets,
  gaugeSeries,
  histogramSeries,
  type Labels,
  metricBatch,
} from "../../support/metric_series.ts";
import { silentLogger } from "../../support/silent_logger.ts";

export interface Fill {
  readonly metric: "memory" | "requests" | "duration";
  readonly seriesCount: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly intervalMs: number;
}

/** What came later than so waits still, or is in blocks that are not settled. */
const COMPACTED_AFTER_MS = 20 * 60_000;
const BATCH_POINTS = 200_000;
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Fills a project. @returns how many points */
export async function fillPoints(sql: Sql, projectId: string, fill: Fill): Promise<number> {
  const writer = openWriter(sql, { log: silentLogger, timeoutMs: 60_000 });
  const { seriesCount, startMs, endMs, intervalMs } = fill;
  const lengthMs = Math.max(1, Math.floor(BATCH_POINTS / seriesCount)) * intervalMs;
  let count = 0;
  for (let from = startMs; from < endMs; from += lengthMs) {
    const times: number[] = [];
    for (let time = from; time < Math.min(endMs, from + lengthMs); time += intervalMs) {
      times.push(time + 1);
    }
    const series = Array.from(
      { length: seriesCount },
      (_, place) => seriesOf(fill, place, times),
    );
    const batch = metricBatch(series, new Date(times.at(-1) ?? from));
    await writer.commit(projectId, { records: [batch], outcomes: [] });
    count += batch.pointCount;
  }
  await writer.close();
  return count;
}

/** Packs, settles and rolls up all but the newest. */
export async function compactAll(sql: Sql, projectId: string): Promise<void> {
  const waiting = async () => {
    const [row] = await sql<{ count: string }[]>`
      select count(*) as count from metric_batches
      where project_id = ${projectId}
        and received_at < ${new Date(Date.now() - COMPACTED_AFTER_MS)}
    `;
    return Number(row?.count ?? 0);
  };
  const services = { sql, log: silentLogger };
  const stopping = new AbortController().signal;
  for (let isMore = true; isMore;) {
    const isPacking = await waiting() > 0;
    isMore = await compactProject(services, projectId, { isPacking, now: new Date(), stopping });
  }
  await sql`vacuum analyze`;
}

function seriesOf({ metric }: Fill, place: number, times: readonly number[]): MetricSeries {
  const labels: Labels = {
    "http.route": `/api/things/${place % 25}`,
    "service.instance.id": `instance-${Math.floor(place / 25)}`,
    environment: "production",
    service: `service-${place % 5}`,
  };
  if (metric === "requests") {
    const perSecond = 1 + place % 7;
    return counterSeries(
      metric,
      labels,
      times.map((time) => [time, Math.floor(time / 1_000) % 1e7 * perSecond + time % 13]),
      { startMs: 1_000 },
    );
  }
  if (metric === "memory") {
    const level = 1e8 + place * 1e5;
    return gaugeSeries(
      metric,
      labels,
      times.map((time) => [time, level + Math.round(Math.sin(time / 1e6 + place) * 1e4) * 4096]),
    );
  }
  return histogramSeries(
    metric,
    labels,
    times.map((time) => [time, bucketsAt(time, place)]),
  );
}

function bucketsAt(time: number, place: number) {
  const counts = BOUNDS.map((_, bucket) =>
    Math.floor(20 / (1 + Math.abs(bucket - 4 - place % 3)) + (time / 60_000 + place) % 3)
  );
  return explicitBuckets(BOUNDS, [...counts, place % 2]);
}
