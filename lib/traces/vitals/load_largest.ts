import type { Sql } from "../../store/database.ts";
import type { StatsAt } from "../../store/stats/read_stats.ts";
import { Sketch } from "../../store/stats/sketch.ts";
import {
  listVitalSamples,
  type VitalSample,
  type VitalSelection,
} from "./vital_samples.ts";

/** With more pieces than this, reading them one by one is no gain. */
const MAX_PIECES = 24;

/**
 * The visits with the largest values, read of those steps alone that have such values: counts tell which ones.
 *
 * @param selection without limits of the value
 * @param points counts of the same vital along the same time
 * @returns null when that does not tell all of them: what was measured apart from a page load is in the counts as well
 * @throws {QueryTooSlow} as {@linkcode listVitalSamples}
 */
export async function loadLargest(
  sql: Sql,
  selection: VitalSelection,
  points: readonly StatsAt[],
  stepMs: number,
  limit: number,
): Promise<VitalSample[] | null> {
  const above = largestAbove(points, limit);
  if (above === null) return null;
  const times = points
    .filter(({ stats }) => stats.sketch.buckets().some(({ to }) => to > above))
    .map(({ time }) => time);
  if (times.length > MAX_PIECES || times.length > points.length / 2) return null;
  const pieces = await Promise.all(times.map((time) => {
    const start = new Date(Math.max(time, selection.start.getTime()));
    const end = new Date(Math.min(time + stepMs, selection.end.getTime()));
    return start < end
      ? listVitalSamples(sql, { ...selection, start, end, min: above }, limit)
      : [];
  }));
  const found = pieces.flat().sort(byValue).slice(0, limit);
  return found.length < limit ? null : found;
}

function byValue(a: VitalSample, b: VitalSample): number {
  return b.value - a.value || b.startedAt.getTime() - a.startedAt.getTime();
}

/** A value that so many are above of; null when there are not so many, or it is not known. */
function largestAbove(points: readonly StatsAt[], limit: number): number | null {
  const sketch = new Sketch();
  for (const { stats } of points) sketch.merge(stats.sketch);
  let count = 0;
  for (const bucket of sketch.buckets().reverse()) {
    count += bucket.count;
    if (count >= limit) return bucket.from > 0 ? bucket.from : null;
  }
  return null;
}
