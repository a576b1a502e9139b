/** How often an archived issue may happen before it counts as escalating. */
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { Queryable } from "../../store/database.ts";

const HISTORY_DAYS = 7;
const HISTORY_HOURS = HISTORY_DAYS * 24;
const FORECAST_DAYS = 14;

/** Events by hour of the last week, oldest first, from the issue's first hour on: none for hours before it. */
export async function hourlyCounts(
  sql: Queryable,
  projectId: string,
  issueId: string,
  now: Date,
): Promise<{ readonly counts: number[]; readonly end: Date }> {
  const end = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
  const start = new Date(end.getTime() - HISTORY_HOURS * HOUR_MS);
  const [issue] = await sql<{ firstSeen: Date }[]>`
    select first_seen as "firstSeen" from issues where project_id = ${projectId} and id = ${issueId}
  `;
  const rows = await sql<{ hour: Date; count: number }[]>`
    select hour, sum(times_seen)::float8 as count from issue_hours
    where project_id = ${projectId} and issue_id = ${issueId} and hour >= ${start} and hour <= ${end}
    group by hour
  `;
  const from = Math.max(start.getTime(), issue?.firstSeen.getTime() ?? 0);
  const hours = Math.min(HISTORY_HOURS, Math.max(1, Math.ceil((end.getTime() - from) / HOUR_MS)));
  const counts = Array.from({ length: hours }, () => 0);
  for (const { hour, count } of rows) {
    // The hour that runs counts with the one before it, so that a new issue has a history as well.
    const place = hours - 1 - Math.max(0, (end.getTime() - hour.getTime()) / HOUR_MS - 1);
    if (place >= 0) counts[place] = (counts[place] ?? 0) + count;
  }
  return { counts, end };
}

/**
 * The most events an hour that are expected on each of the coming 14 days, by the last week. Less than a week of history:
 * ten times the busiest hour. Else the higher of the busiest hour, with the more room the steadier the issue is, and the
 * mean of such weekdays with room for its spread.
 */
export function forecast(
  { counts, end }: { readonly counts: readonly number[]; readonly end: Date },
): number[] {
  const busiest = Math.max(0, ...counts);
  if (counts.length < HISTORY_HOURS) return days(() => Math.max(1, busiest * 10));
  const mean = sum(counts) / counts.length;
  const deviation = Math.sqrt(sum(counts.map((n) => (n - mean) ** 2)) / counts.length);
  const spread = mean === 0 ? 0 : deviation / mean;
  const peak = busiest * clamp(5 * Math.exp(-0.65 * spread), 2, 5);
  const room = mean === 0 ? 0 : mean * clamp((mean + 5 * deviation) / mean, 5, 8);
  return days((day) => {
    const weekday = new Date(end.getTime() + day * DAY_MS).getUTCDay();
    const same = counts.filter((_, place) => {
      const at = end.getTime() - (counts.length - place) * HOUR_MS;
      return new Date(at).getUTCDay() === weekday;
    });
    const usual = same.length === 0 ? mean : sum(same) / same.length;
    return Math.max(1, Math.ceil(Math.max(peak, usual + room)));
  });
}

/** The ceiling of the day: of a forecast that has run out its last one. */
export function ceilingAt(ceilings: readonly number[], from: Date, now: Date): number {
  const day = Math.max(0, Math.floor((now.getTime() - from.getTime()) / DAY_MS));
  return ceilings[Math.min(day, ceilings.length - 1)] ?? Infinity;
}

function days(of: (day: number) => number): number[] {
  return Array.from({ length: FORECAST_DAYS }, (_, day) => of(day));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
