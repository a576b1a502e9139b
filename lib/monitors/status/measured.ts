/** What Postgres knows of the monitors on a status page: how they stand, and how they stood in the last 90 days. */
import { listProjects } from "../../accounts/projects.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { floorTo } from "../../store/query_limits.ts";
import { listMonitors as listCronMonitors } from "../cron/monitors.ts";
import type { Monitor } from "../uptime/monitor.ts";
import { listMonitors } from "../uptime/monitors.ts";
import { type PeriodSum, readSums, type Sum, totalOf, uptimeOf } from "../uptime/sums.ts";
import { windowAt } from "../uptime/windows.ts";
import { DAYS, type DaySeconds, type EntryState, type MeasuredEntry } from "./days.ts";
import { measureCron } from "./measured_cron.ts";
import { entryKey, type StatusPage } from "./status_page.ts";

/** What the last look into Postgres found. */
export interface Measured {
  /** ISO 8601. */
  readonly measuredAt: string;
  /** By `entryKey()`; monitors that are gone are absent. */
  readonly entries: Readonly<Record<string, MeasuredEntry>>;
}

interface Stores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
}

/** A monitor that a page can show. */
export interface AvailableMonitor extends Pick<Monitor, "projectId" | "monitorId" | "name"> {
  readonly kind: "uptime" | "cron";
  readonly projectName: string;
}

/** All uptime monitors and cron jobs of the organization's projects; those of others are never among them. */
export async function availableMonitors(
  { kv, sql }: Stores,
  organizationId: string,
): Promise<AvailableMonitor[]> {
  const projects = await listProjects(kv, organizationId);
  const found: AvailableMonitor[] = [];
  for (const { id, name: projectName } of projects) {
    for (const { projectId, monitorId, name } of await listMonitors(sql, id)) {
      found.push({ projectId, monitorId, name, projectName, kind: "uptime" });
    }
    for (const { projectId, monitorId, name } of await listCronMonitors(sql, [id])) {
      found.push({ projectId, monitorId, name, projectName, kind: "cron" });
    }
  }
  return found;
}

/** Reads what is known of the monitors on a page, as far as they belong to the page's organization. */
export async function measure(
  { kv, sql }: Stores,
  { organizationId, entries }: Pick<StatusPage, "organizationId" | "entries">,
  now: Date,
): Promise<Measured> {
  const own = new Set((await listProjects(kv, organizationId)).map(({ id }) => id));
  const shown = new Set(entries.map(entryKey));
  const projectIds = new Set(entries.map(({ projectId }) => projectId).filter((id) => own.has(id)));
  const measured: Record<string, MeasuredEntry> = {};
  for (const projectId of projectIds) {
    const [monitors, hours, days, jobs] = await Promise.all([
      listMonitors(sql, projectId),
      readSums(sql, projectId, "hour", { start: new Date(now.getTime() - DAY_MS), end: now }),
      readSums(sql, projectId, "day", { start: firstDay(now), end: now }),
      measureCron(sql, projectId, shown, { start: firstDay(now), end: now }),
    ]);
    Object.assign(measured, Object.fromEntries(jobs));
    for (const monitor of monitors) {
      const key = entryKey(monitor);
      if (!shown.has(key)) continue;
      const { monitorId } = monitor;
      measured[key] = entryOf(monitor, hours.get(monitorId) ?? [], days.get(monitorId) ?? [], now);
    }
  }
  return { measuredAt: now.toISOString(), entries: measured };
}

/** The UTC day that the bars begin with. */
export function firstDay(now: Date): Date {
  return new Date(floorTo(DAY_MS, now).getTime() - (DAYS - 1) * DAY_MS);
}

function entryOf(
  monitor: Monitor,
  hours: readonly PeriodSum[],
  days: readonly PeriodSum[],
  now: Date,
): MeasuredEntry {
  const today = floorTo(DAY_MS, now).getTime();
  const since = (count: number) =>
    uptimeOf(totalOf(days.filter(({ start }) => start.getTime() > today - count * DAY_MS)));
  const byDay = new Map(days.map((sum) => [sum.start.getTime(), secondsOf(sum)]));
  const first = firstDay(now).getTime();
  return {
    state: stateOf(monitor, now),
    since: monitor.since.toISOString(),
    uptime: {
      "24h": uptimeOf(totalOf(hours)),
      "7d": since(7),
      "30d": since(30),
      "90d": since(DAYS),
    },
    days: Array.from({ length: DAYS }, (_, day) => byDay.get(first + day * DAY_MS) ?? null),
  };
}

function secondsOf(
  { upSec, degradedSec, downSec, maintenanceSec, unknownSec }: Sum,
): DaySeconds | null {
  const seconds = [upSec, degradedSec, downSec, maintenanceSec, unknownSec] as const;
  if (seconds.every((each) => each === 0)) return null;
  // A second that was down is never rounded away.
  return [
    Math.round(upSec),
    Math.ceil(degradedSec),
    Math.ceil(downSec),
    Math.round(maintenanceSec),
    Math.round(unknownSec),
  ];
}

function stateOf(monitor: Monitor, now: Date): EntryState {
  if (monitor.isPaused || monitor.isCutOff) return "unknown";
  return windowAt(monitor.windows, now) === null ? monitor.state : "maintenance";
}
