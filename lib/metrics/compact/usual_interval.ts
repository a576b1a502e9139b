import type { Sql } from "../../store/database.ts";
import type { RawSeries } from "../points.ts";

const SERIES = 100;
const POINTS = 50;
/** A change below this share is not worth a write. */
const CHANGE = 0.1;

/** How often points come, in milliseconds: the middle of what lies between two of a series; 0: not to be told. */
export function measureInterval(series: readonly RawSeries[]): number {
  const gaps: number[] = [];
  for (const each of series.slice(0, SERIES)) {
    const times = each.shape === "number" ? each.times : each.points.map(({ timeMs }) => timeMs);
    for (let place = 1; place < Math.min(times.length, POINTS); place++) {
      gaps.push((times[place] ?? 0) - (times[place - 1] ?? 0));
    }
  }
  gaps.sort((one, other) => one - other);
  return Math.round(gaps[Math.floor(gaps.length / 2)] ?? 0);
}

export async function saveInterval(
  sql: Sql,
  projectId: string,
  metric: { readonly metricId: string; readonly usualIntervalMs: number },
  intervalMs: number,
): Promise<void> {
  const known = metric.usualIntervalMs;
  if (intervalMs === 0 || Math.abs(intervalMs - known) <= CHANGE * known) return;
  await sql`
    update metrics set usual_interval_ms = ${intervalMs}
    where project_id = ${projectId} and metric_id = ${metric.metricId}
  `;
}
