import { Turns } from "../../core/turns.ts";
import { GAP_MS } from "../increases.ts";
import { joinAll } from "../join_steps.ts";
import type { SeriesSteps } from "../points.ts";
import { rollUp } from "../rollup.ts";
import type { StepRange } from "../step_runs.ts";
import { MINUTE_MS, SLOT_MS } from "../slots.ts";
import { coverageOf, type CoveredRange } from "./coverage.ts";
import { readRaw } from "./raw.ts";
import type { PointRead, ReadServices, StepRequest } from "./read_types.ts";
import { readRollups } from "./rollups.ts";
import { byId } from "./select_series.ts";

/**
 * The series of a metric, added up by step: from rollups where they tell all, else from the points. The answer is the
 * same wherever it comes from.
 *
 * @throws {InvalidQuery} when the time of `services.deadline` is over
 * @throws what `postgres` throws
 */
export async function readSteps(
  services: ReadServices,
  projectId: string,
  request: StepRequest,
): Promise<PointRead<SeriesSteps>> {
  const { startMs, endMs, stepMs } = request;
  const ranges = (await coverageOf(services.sql, projectId, request)).flatMap(inWindows);
  const parts = new Map<string, SeriesSteps[]>();
  let damaged = 0;
  // One after the other: points of several take much memory.
  for (const range of ranges) {
    services.deadline?.check();
    const read = await readRange(services, projectId, request, range);
    damaged += read.damaged;
    for (const each of read.series) {
      const known = parts.get(each.seriesId);
      if (known === undefined) parts.set(each.seriesId, [each]);
      else known.push(each);
    }
  }
  const [only] = ranges;
  const isJoined = ranges.length === 1 && only?.tier === "raw";
  const whole: StepRange = { stepMs, originMs: startMs, startMs, endMs };
  const turns = new Turns();
  const series: SeriesSteps[] = [];
  for (const some of parts.values()) {
    const [first] = some;
    const joined = isJoined && first !== undefined ? first : joinAll(some, whole);
    if (joined.times.length > 0) series.push(joined);
    await turns.breathe();
  }
  return { series: series.sort(byId), damaged };
}

/** Points of so much time are held at once. */
const WINDOW_MS = 3 * SLOT_MS;

function inWindows(range: CoveredRange): CoveredRange[] {
  if (range.tier !== "raw") return [range];
  const windows: CoveredRange[] = [];
  for (let startMs = range.startMs; startMs < range.endMs;) {
    const next = Math.floor(startMs / SLOT_MS) * SLOT_MS + WINDOW_MS;
    const endMs = Math.min(range.endMs, next);
    windows.push({ tier: "raw", startMs, endMs });
    startMs = endMs;
  }
  return windows;
}

async function readRange(
  services: ReadServices,
  projectId: string,
  request: StepRequest,
  { startMs, endMs, tier }: CoveredRange,
): Promise<PointRead<SeriesSteps>> {
  if (tier !== "raw") {
    return await readRollups(services, projectId, { ...request, startMs, endMs }, tier);
  }
  const { kind, stepMs, usualIntervalMs } = request;
  const before = kind === "gauge" ? startMs : startMs - GAP_MS - MINUTE_MS;
  const read = await readRaw(services, projectId, { ...request, startMs: before, endMs });
  const range: StepRange = { stepMs, originMs: request.startMs, startMs, endMs };
  const turns = new Turns();
  const series: SeriesSteps[] = [];
  for (const raw of read.series) {
    series.push(rollUp(kind, raw, range, usualIntervalMs, request.counted));
    await turns.breathe();
  }
  return { series, damaged: read.damaged };
}
