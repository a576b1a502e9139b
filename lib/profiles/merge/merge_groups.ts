/** How profiles are put together so that what is merged once need not be merged again. */
import { createHash } from "node:crypto";
import { DAY_MS, HOUR_MS } from "../../store/scope_filter.ts";
import type { MergeRow } from "./merge_rows.ts";

/** Profiles of one origin with the same types, of one stretch of time. */
export interface MergeGroup {
  /** In the object store; null when the merge is not worth keeping, or would never be asked for again. */
  readonly key: string | null;
  /** At least one. */
  readonly rows: readonly MergeRow[];
  /** The same profiles in smaller groups; empty for those that are made of profiles. */
  readonly parts: readonly MergeGroup[];
}

/** What is asked for, and when. */
export interface MergePeriod {
  readonly projectId: string;
  readonly start: Date;
  readonly end: Date;
  readonly now: Date;
}

/** Changes whenever merging the same profiles gives something else. */
const VERSION = "1";
/**
 * Where not all of a day is asked for, its hours are kept together in pieces of this. A program runs much the same stacks
 * every hour, so that an hour's merge is nearly as large as a day's; yet the newest piece is made again every hour.
 */
const SHIFT_MS = 8 * HOUR_MS;
/** Of more profiles shorter pieces are kept, so that work whose time is over before its end goes on from there. */
const MOST_PROFILES = 500;
/** The hours at both ends of a range, and the one that goes on, are kept in pieces of this. */
const SLICE_MS = 5 * 60_000;
/** Uploads take their time. */
const SETTLED_MS = 2 * 60_000;
const LEAST_PROFILES = 4;

/**
 * Puts profiles into groups: by the day where all of it is over and asked for, by the hours of a third of it (less
 * where they are many), and by five minutes.
 */
export function mergeGroups(rows: readonly MergeRow[], period: MergePeriod): MergeGroup[] {
  const days = Map.groupBy(rows, (row) => `${floor(row, DAY_MS)} ${originOf(row)}`);
  return [...days.values()].flatMap((ofDay) => {
    const shifts = groupsBy(ofDay, SHIFT_MS).flatMap((shift) => groupsOfShift(shift, period));
    const isDay = shifts.length > 1 && isSettled(ofDay, DAY_MS, period);
    const day = isDay ? groupOf(ofDay, period, true, shifts) : null;
    return day?.key ? [day] : shifts;
  });
}

function groupsOfShift(shift: readonly MergeRow[], period: MergePeriod): MergeGroup[] {
  const hours = groupsBy(shift, HOUR_MS);
  const settled = hours.filter((hour) => isSettled(hour, HOUR_MS, period)).flat();
  const slices = hours.filter((hour) => !isSettled(hour, HOUR_MS, period))
    .flatMap((hour) => groupsBy(hour, SLICE_MS));
  return [
    ...halved(settled, SHIFT_MS).map((piece) => groupOf(piece, period, true)),
    ...slices.map((slice) => groupOf(slice, period, isSettled(slice, SLICE_MS, period))),
  ];
}

/** Halves a stretch of time, down to hours, where it has too many profiles. */
function halved(rows: readonly MergeRow[], lengthMs: number): (readonly MergeRow[])[] {
  const isSmall = rows.length <= MOST_PROFILES || lengthMs === HOUR_MS;
  if (isSmall) return rows.length === 0 ? [] : [rows];
  return groupsBy(rows, lengthMs / 2).flatMap((half) => halved(half, lengthMs / 2));
}

function groupsBy(rows: readonly MergeRow[], lengthMs: number): MergeRow[][] {
  return [...Map.groupBy(rows, (row) => floor(row, lengthMs)).values()];
}

/** All of the stretch of time is asked for, and nothing comes to it any more. */
function isSettled(
  [row]: readonly MergeRow[],
  lengthMs: number,
  { start, end, now }: MergePeriod,
): boolean {
  if (row === undefined) return false;
  const from = floor(row, lengthMs);
  const until = from + lengthMs;
  return from >= start.getTime() && until <= end.getTime() && until + SETTLED_MS <= now.getTime();
}

function groupOf(
  rows: readonly MergeRow[],
  { projectId }: MergePeriod,
  isKept: boolean,
  parts: readonly MergeGroup[] = [],
): MergeGroup {
  const isWorthIt = isKept && rows.length >= LEAST_PROFILES;
  return { key: isWorthIt ? keyOf(projectId, rows) : null, rows, parts };
}

/** By the day, so that it goes when its profiles go. */
function keyOf(projectId: string, rows: readonly MergeRow[]): string {
  const ids = rows.map(({ profileId, served }) =>
    served === undefined ? profileId : `${profileId} ${JSON.stringify(served)}`
  ).sort();
  const digest = createHash("sha256").update([VERSION, ...ids].join("\n")).digest("hex");
  const day = rows[0]?.timestamp.toISOString().slice(0, 10);
  return `profile_merges/${projectId}/${day}/${digest}`;
}

function originOf({ service, environment, release, types, isDelta }: MergeRow): string {
  return JSON.stringify([service, environment, release, isDelta, types]);
}

function floor({ timestamp }: MergeRow, lengthMs: number): number {
  return Math.floor(timestamp.getTime() / lengthMs) * lengthMs;
}
