/** Who checks what: due monitors are claimed in Postgres, each by one isolate at a time. */
import { MINUTE_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import type { Monitor } from "./monitor.ts";
import { monitorColumns } from "./monitors.ts";

/** Longer than a check takes, with the look at the reference; after a kill a monitor rests so long. */
export const LEASE_MS = 45_000;
/** Checks of one host that run at a time: monitoring is no load test. */
const AT_ONCE_OF_HOST = 8;
/** A due time farther ahead than the interval was set by a clock that went ahead. */
const CLOCK_SLACK_MS = 2 * MINUTE_MS;

/**
 * Claims monitors that are due, those first that have waited longest.
 *
 * @param options.holder id of this process
 * @param options.limit how many at most
 */
export async function claimMonitors(
  sql: Sql,
  { holder, now, limit }: { readonly holder: string; readonly now: Date; readonly limit: number },
): Promise<Monitor[]> {
  const later = (ms: number) => new Date(now.getTime() + ms);
  // A claim that lasts longer than any was made by a clock that went ahead.
  const isFree = sql`(claimed_until <= ${now} or claimed_until > ${later(2 * LEASE_MS)})`;
  const isDue = sql`
    not is_paused and (
      due_at <= ${now}
      or due_at > ${later(CLOCK_SLACK_MS)}::timestamptz + interval_sec * interval '1 second'
    )
  `;
  return await sql<Monitor[]>`
    update uptime_monitors set claimed_by = ${holder}, claimed_until = ${later(LEASE_MS)}
    from (
      select project_id, monitor_id from uptime_monitors
      where ${isFree} and ${isDue} and (project_id, monitor_id) in (
        select project_id, monitor_id from (
          select project_id, monitor_id,
            row_number() over (partition by host order by due_at) as place, (
              select count(*) from uptime_monitors as busy
              where busy.host = idle.host and busy.claimed_by is not null
                and busy.claimed_until > ${now} and busy.claimed_until <= ${later(2 * LEASE_MS)}
            ) as claimed
          from uptime_monitors as idle
          where ${isFree} and ${isDue}
        ) as ranked
        where place + claimed <= ${AT_ONCE_OF_HOST}
      )
      order by due_at limit ${limit}
      for update skip locked
    ) as free
    where uptime_monitors.project_id = free.project_id
      and uptime_monitors.monitor_id = free.monitor_id
    returning ${monitorColumns(sql)}
  `;
}

/**
 * Gives a claim back without a result.
 *
 * @param dueAt when the monitor is to be claimed again; null: as it stands
 */
export async function releaseMonitor(
  sql: Sql,
  { projectId, monitorId }: Pick<Monitor, "projectId" | "monitorId">,
  holder: string,
  dueAt: Date | null = null,
): Promise<void> {
  await sql`
    update uptime_monitors set claimed_by = null, claimed_until = '-infinity'
      ${dueAt === null ? sql`` : sql`, due_at = ${dueAt}`}
    where project_id = ${projectId} and monitor_id = ${monitorId} and claimed_by = ${holder}
  `;
}
