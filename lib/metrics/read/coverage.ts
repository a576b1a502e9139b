import type { Sql } from "../../store/database.ts";
import { DAY_MS, dayOf, HOUR_MS, LEVEL, MINUTE_MS, SLOT_MS, type Tier } from "../slots.ts";

/** A stretch of time that is read from one tier. */
export interface CoveredRange {
  readonly startMs: number;
  readonly endMs: number;
  readonly tier: Tier;
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
export async function coverageOf(
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
