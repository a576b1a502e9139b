import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { byId } from "../ids.ts";
import { Turns } from "../../core/waiting.ts";
import type { Sql } from "../../store/database.ts";
import { GAP_MS } from "../increases.ts";
import { addPart, type SeriesSteps } from "../points.ts";
import { joinAll, rollUp } from "../rollup.ts";
import { dayOf, LEVEL, SLOT_MS, type StepRange, TIER, type Tier } from "../slots.ts";
import { type CoveredRange, readGauges } from "./gauges.ts";
import {
  type PointRead,
  readRaw,
  readRollups,
  type ReadServices,
  type StepRequest,
} from "./raw.ts";

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
  const covered = await coverageOf(services.sql, projectId, request);
  const stored = await withoutMinutes(services.sql, projectId, request.metricId, covered);
  const ranges = stored.flatMap(inWindows);
  if (request.kind === "gauge") return await readGauges(services, projectId, request, ranges);
  const parts = new Map<string, SeriesSteps[]>();
  let damaged = 0;
  // One after the other: points of several take much memory.
  for (const range of ranges) {
    services.deadline?.check();
    const read = await readRange(services, projectId, request, range);
    damaged += read.damaged;
    for (const each of read.series) addPart(parts, each);
  }
  const [only] = ranges;
  const isJoined = ranges.length === 1 && only?.tier === "raw";
  const whole: StepRange = { stepMs, originMs: startMs, startMs, endMs };
  const turns = new Turns();
  const series: SeriesSteps[] = [];
  for (const some of parts.values()) {
    const [first] = some;
    const isWhole = isJoined && some.length === 1 && first !== undefined;
    const joined = isWhole ? first : joinAll(some, whole);
    if (joined.times.length > 0) series.push(joined);
    await turns.breathe();
  }
  return { series: series.sort(byId), damaged };
}

/** Slots whose minutes are not stored, since points tell as much, are read from these. */
async function withoutMinutes(
  sql: Sql,
  projectId: string,
  metricId: string,
  ranges: readonly CoveredRange[],
): Promise<CoveredRange[]> {
  const minutes = ranges.filter(({ tier }) => tier === "minute");
  const [first, last] = [minutes[0], minutes.at(-1)];
  if (first === undefined || last === undefined) return [...ranges];
  const rows = await sql<{ slot: Date }[]>`
    select slot from metric_blocks
    where project_id = ${projectId} and metric_id = ${metricId}
      and tier in (${TIER.raw}, ${TIER.minute}) and not is_damaged
      and slot >= ${new Date(slotAt(first.startMs))} and slot < ${new Date(last.endMs)}
    group by slot having not bool_or(tier = ${TIER.minute})
  `;
  const bare = new Set(rows.map(({ slot }) => slot.getTime()));
  if (bare.size === 0) return [...ranges];
  const divided: CoveredRange[] = [];
  for (const range of ranges) {
    if (range.tier !== "minute") append(divided, range);
    else {
      for (let startMs = range.startMs; startMs < range.endMs;) {
        const slot = slotAt(startMs);
        const endMs = Math.min(range.endMs, slot + SLOT_MS);
        append(divided, { startMs, endMs, tier: bare.has(slot) ? "raw" : "minute" });
        startMs = endMs;
      }
    }
  }
  return divided;
}

function slotAt(timeMs: number): number {
  return Math.floor(timeMs / SLOT_MS) * SLOT_MS;
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
    const steps = { ...request, originMs: request.startMs };
    return await readRollups(services, projectId, { ...request, startMs, endMs }, tier, steps);
  }
  const { kind, stepMs, usualIntervalMs } = request;
  const before = startMs - GAP_MS - MINUTE_MS;
  const read = await readRaw(services, projectId, { ...request, startMs: before, endMs });
  const range: StepRange = { stepMs, originMs: request.startMs, startMs, endMs };
  const turns = new Turns();
  const series: SeriesSteps[] = [];
  for (const raw of read.series) {
    const steps = rollUp(kind, raw, range, usualIntervalMs, request.counted);
    if (steps.times.length > 0) series.push(steps);
    await turns.breathe();
  }
  return { series, damaged: read.damaged };
}

/** How a project's time stands with rollups. */
interface SlotStates {
  /** Slots that points lie in which no rollup has yet. */
  readonly stale: ReadonlySet<number>;
  /** Slots and days that are rolled up, with nothing that came since. */
  readonly slots: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
}

/**
 * Divides a time into stretches, each with the coarsest tier that tells all of it: hours and minutes only where the
 * steps are whole ones.
 *
 * @param times in milliseconds since 1970
 */
async function coverageOf(
  sql: Sql,
  projectId: string,
  times: { readonly startMs: number; readonly endMs: number; readonly stepMs: number },
): Promise<CoveredRange[]> {
  const { startMs, endMs, stepMs } = times;
  const isWhole = (unit: number) => [startMs, endMs, stepMs].every((time) => time % unit === 0);
  if (!isWhole(MINUTE_MS)) return [{ startMs, endMs, tier: "raw" }];
  const states = await slotStates(sql, projectId, startMs, endMs);
  const ranges: CoveredRange[] = [];
  for (let at = startMs; at < endMs;) {
    const day = dayOf(at);
    const isDay = isWhole(HOUR_MS) && isDayCovered(states, day);
    const slot = Math.floor(at / SLOT_MS) * SLOT_MS;
    const end = Math.min(endMs, isDay ? day + DAY_MS : slot + SLOT_MS);
    const tier = isDay ? "hour" : tierOf(states, slot, ranges.at(-1));
    append(ranges, { startMs: at, endMs: end, tier });
    at = end;
  }
  return ranges;
}

function append(ranges: CoveredRange[], range: CoveredRange): void {
  const last = ranges.at(-1);
  if (last?.tier === range.tier) ranges[ranges.length - 1] = { ...last, endMs: range.endMs };
  else ranges.push(range);
}

/** Where nobody wrote anything, the stretch before goes on. */
function tierOf(states: SlotStates, slot: number, last: CoveredRange | undefined): Tier {
  const isEmpty = !states.slots.has(slot) && !states.stale.has(slot);
  if (isEmpty) return last?.tier === "raw" ? "raw" : "minute";
  return isSlotCovered(states, slot) ? "minute" : "raw";
}

/** The first increases of a slot are counted from points of the one before. */
function isSlotCovered({ stale, slots }: SlotStates, slot: number): boolean {
  return slots.has(slot) && !stale.has(slot) && !stale.has(slot - SLOT_MS);
}

function isDayCovered(states: SlotStates, day: number): boolean {
  if (!states.days.has(day) || states.stale.has(day - SLOT_MS)) return false;
  for (let slot = day; slot < day + DAY_MS; slot += SLOT_MS) {
    if (states.stale.has(slot)) return false;
  }
  return true;
}

async function slotStates(
  sql: Sql,
  projectId: string,
  startMs: number,
  endMs: number,
): Promise<SlotStates> {
  const from = new Date(dayOf(startMs) - SLOT_MS);
  const to = new Date(endMs);
  const rows = await sql<{ level: number; slot: Date; isClean: boolean }[]>`
    select level, slot, settled_at is not null and dirty_since is null as "isClean" from metric_slots
    where project_id = ${projectId} and slot >= ${from} and slot < ${to}
    union all
    select distinct ${LEVEL.slot}::smallint, slot, false
    from metric_batches, unnest(slots) as slot
    where project_id = ${projectId} and not is_damaged and slot >= ${from} and slot < ${to}
  `;
  const times = (level: number, isClean: boolean) =>
    new Set(
      rows.filter((row) => row.level === level && row.isClean === isClean)
        .map(({ slot }) => slot.getTime()),
    );
  return {
    stale: times(LEVEL.slot, false),
    slots: times(LEVEL.slot, true),
    days: times(LEVEL.day, true),
  };
}
