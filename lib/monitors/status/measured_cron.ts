/** Cron jobs on a status page: a job is down while one of its incidents is open, and up otherwise. */
import { DAY_MS, type Interval, SECOND_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { listMonitors, type Monitor } from "../cron/monitors.ts";
import { NO_SUM, type Sum, uptimeOf } from "../uptime/sums.ts";
import { DAYS, type DaySeconds, type EntryState, type MeasuredEntry } from "./days.ts";
import { entryKey } from "./status_page.ts";

/** What is known of the cron jobs of a project, by `entryKey()`. */
export async function measureCron(
  sql: Sql,
  projectId: string,
  shown: ReadonlySet<string>,
  { start, end }: Interval,
): Promise<Map<string, MeasuredEntry>> {
  const monitors = (await listMonitors(sql, [projectId]))
    .filter((monitor) => shown.has(entryKey(monitor)));
  const measured = new Map<string, MeasuredEntry>();
  if (monitors.length === 0) return measured;
  const down = await readDowntime(sql, projectId, monitors, { start, end });
  for (const monitor of monitors) {
    const spans = watched(monitor)
      .flatMap(({ environment }) => down.get(`${monitor.slug}/${environment}`) ?? []);
    measured.set(entryKey(monitor), entryOf(monitor, joined(spans), { start, end }));
  }
  return measured;
}

/** Environments whose trouble somebody wants to hear of. */
function watched({ environments }: Monitor): Monitor["environments"] {
  return environments.filter(({ isMuted }) => !isMuted);
}

async function readDowntime(
  sql: Sql,
  projectId: string,
  monitors: readonly Monitor[],
  { start, end }: Interval,
): Promise<Map<string, Interval[]>> {
  const rows = await sql<(Interval & { key: string })[]>`
    select slug || '/' || environment as key, started_at as start,
      coalesce(resolved_at, ${end}::timestamptz) as "end"
    from monitor_incidents
    where project_id = ${projectId} and slug = any (${monitors.map(({ slug }) => slug)}::text[])
      and started_at < ${end} and (resolved_at is null or resolved_at > ${start})
    order by started_at
  `;
  return Map.groupBy(rows, ({ key }) => key);
}

/** The same time as intervals that do not overlap, in order. */
export function joined(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (
    const { start, end } of intervals.toSorted((a, b) => a.start.getTime() - b.start.getTime())
  ) {
    const last = result.at(-1);
    if (last === undefined || start > last.end) result.push({ start, end });
    else if (end > last.end) result[result.length - 1] = { start: last.start, end };
  }
  return result;
}

function entryOf(
  monitor: Monitor,
  down: readonly Interval[],
  { start, end }: Interval,
): MeasuredEntry {
  const known = new Date(Math.max(start.getTime(), monitor.createdAt.getTime()));
  const share = (days: number) => {
    const from = new Date(Math.max(known.getTime(), end.getTime() - days * DAY_MS));
    return uptimeOf(sumOf(down, { start: from, end }));
  };
  const state = stateOf(monitor);
  return {
    state,
    since: (state === "down" ? down.at(-1)?.start ?? known : known).toISOString(),
    uptime: { "24h": share(1), "7d": share(7), "30d": share(30), "90d": share(DAYS) },
    days: Array.from({ length: DAYS }, (_, day) => {
      const midnight = start.getTime() + day * DAY_MS;
      return secondsOf(sumOf(down, {
        start: new Date(Math.max(midnight, known.getTime())),
        end: new Date(Math.min(midnight + DAY_MS, end.getTime())),
      }));
    }),
  };
}

function stateOf(monitor: Monitor): EntryState {
  const statuses = watched(monitor).map(({ status }) => status);
  if (!monitor.isActive) return "unknown";
  if (statuses.includes("error")) return "down";
  return statuses.includes("ok") ? "up" : "unknown";
}

/** Seconds up and down in a stretch of time. */
function sumOf(down: readonly Interval[], { start, end }: Interval): Sum {
  const length = Math.max(0, end.getTime() - start.getTime());
  const downMs = down.reduce((sum, span) =>
    sum + Math.max(
      0,
      Math.min(span.end.getTime(), end.getTime()) - Math.max(span.start.getTime(), start.getTime()),
    ), 0);
  return { ...NO_SUM, upSec: (length - downMs) / SECOND_MS, downSec: downMs / SECOND_MS };
}

function secondsOf({ upSec, downSec }: Sum): DaySeconds | null {
  if (upSec + downSec === 0) return null;
  return [Math.round(upSec), 0, Math.ceil(downSec), 0, 0];
}
