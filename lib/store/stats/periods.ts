/** Which periods of counts a stretch of time is read from. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import type { SeriesKind } from "./series.ts";

/** Counts by the minute are for looking at what happens now. */
export const MINUTES_KEPT_DAYS = 3;
/** Not counted by the minute: there are too many of them for what that would tell. */
export const KINDS_WITHOUT_MINUTES: ReadonlySet<SeriesKind> = new Set([
  "caller",
  "caller_whole",
  "visit",
]);
/** Up to this length a stretch is read by the minute. */
const MAX_MINUTES_MS = 6 * HOUR_MS;
/** From this length on whole days are read as such. */
const MIN_DAYS_MS = 3 * DAY_MS;

/** A part of a stretch of time and the table that has it. */
export interface Piece {
  readonly table: "stat_minutes" | "stat_hours" | "stat_days";
  readonly periodMs: number;
  /** Included, the start of a period. */
  readonly start: Date;
  /** Excluded. */
  readonly end: Date;
}

interface Stretch {
  readonly start: Date;
  readonly end: Date;
}

/**
 * Divides a stretch of time into parts that few rows cover: minutes of a short and recent one, else hours, with
 * whole days in the middle of a long one. The start is brought down to that of its period.
 *
 * @param kind what is counted
 */
export function piecesOf(
  { start, end }: Stretch,
  kind: SeriesKind,
  now: Date = new Date(),
): Piece[] {
  const length = end.getTime() - start.getTime();
  if (length <= 0) return [];
  if (isByMinute({ start, end }, now) && !KINDS_WITHOUT_MINUTES.has(kind)) {
    return [{ table: "stat_minutes", periodMs: MINUTE_MS, start: floor(start, MINUTE_MS), end }];
  }
  const from = floor(start, HOUR_MS);
  const firstDay = new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const lastDay = floor(end, DAY_MS);
  if (length < MIN_DAYS_MS || firstDay >= lastDay) return [hours(from, end)];
  const days: Piece = { table: "stat_days", periodMs: DAY_MS, start: firstDay, end: lastDay };
  return [hours(from, firstDay), days, hours(lastDay, end)].filter((each) => each.start < each.end);
}

/**
 * The one table for a chart of a stretch of time: minutes where they are kept, else hours, and days for steps of days.
 *
 * @param stepMs between the points of the chart: a multiple of the table's period
 */
export function chartPiece({ start, end }: Stretch, stepMs: number, now: Date = new Date()): Piece {
  const from = floor(start, stepMs);
  if (stepMs % DAY_MS === 0) return { table: "stat_days", periodMs: DAY_MS, start: from, end };
  return stepMs < HOUR_MS && isByMinute({ start, end }, now)
    ? { table: "stat_minutes", periodMs: MINUTE_MS, start: from, end }
    : hours(from, end);
}

/** Whether counts by the minute are there and few enough for this stretch. */
export function isByMinute({ start, end }: Stretch, now: Date = new Date()): boolean {
  const oldest = floor(new Date(now.getTime() - (MINUTES_KEPT_DAYS - 1) * DAY_MS), DAY_MS);
  return start >= oldest && end.getTime() - start.getTime() <= MAX_MINUTES_MS + 2 * MINUTE_MS;
}

function hours(start: Date, end: Date): Piece {
  return { table: "stat_hours", periodMs: HOUR_MS, start, end };
}

function floor(time: Date, periodMs: number): Date {
  return new Date(Math.floor(time.getTime() / periodMs) * periodMs);
}
