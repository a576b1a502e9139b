/** Who checks what: due monitors are claimed in Postgres, each by one isolate at a time. */
import type postgres from "postgres";
import { MINUTE_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { ofProject, projectsApart } from "../../store/sharding.ts";
import { type Columns, incoming } from "../../store/write_rows.ts";
import type { Monitor } from "./monitor.ts";
import { monitorColumns } from "./monitors.ts";

/** Longer than a check takes, with the look at the reference; after a kill a monitor rests so long. */
export const LEASE_MS = 45_000;
/** Checks of one host that run at a time, on Citus for each project: monitoring is no load test. */
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
  { holder, now, limit }: Claim,
): Promise<Monitor[]> {
  const claimed: Monitor[] = [];
  for (const projectId of await projectsApart(sql, "uptime_monitors", isReady(sql, now))) {
    const left = limit - claimed.length;
    if (left <= 0) break;
    claimed.push(...await claimOf(sql, { holder, now, limit: left }, projectId));
  }
  return claimed;
}

interface Claim {
  readonly holder: string;
  readonly now: Date;
  readonly limit: number;
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}

type Id = Pick<Monitor, "projectId" | "monitorId">;

const ID_COLUMNS: Columns<Id> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  monitor_id: ["uuid", ({ monitorId }) => monitorId],
};

/** Free and due. */
function isReady(sql: Sql, now: Date): postgres.Fragment {
  // A claim that lasts longer than any was made by a clock that went ahead.
  return sql`
    (claimed_until <= ${now} or claimed_until > ${later(now, 2 * LEASE_MS)}) and not is_paused and (
      due_at <= ${now}
      or due_at > ${later(now, CLOCK_SLACK_MS)}::timestamptz + interval_sec * interval '1 second'
    )
  `;
}

async function claimOf(
  sql: Sql,
  { holder, now, limit }: Claim,
  projectId: string | null,
): Promise<Monitor[]> {
  const longest = later(now, 2 * LEASE_MS);
  const isReadyHere = sql`${isReady(sql, now)} ${ofProject(sql, projectId)}`;
  const ids = await sql<Id[]>`
    update uptime_monitors set claimed_by = ${holder}, claimed_until = ${later(now, LEASE_MS)}
    from (
      select project_id, monitor_id from uptime_monitors
      where ${isReadyHere} and (project_id, monitor_id) in (
        select project_id, monitor_id from (
          select project_id, monitor_id,
            row_number() over (partition by host order by due_at) as place, (
              select count(*) from uptime_monitors as busy
              where busy.host = idle.host and busy.claimed_by is not null
                and busy.claimed_until > ${now} and busy.claimed_until <= ${longest}
                ${ofProject(sql, projectId, "busy")}
            ) as claimed
          from uptime_monitors as idle
          where ${isReadyHere}
        ) as ranked
        where place + claimed <= ${AT_ONCE_OF_HOST}
      )
      order by due_at limit ${limit}
      for update skip locked
    ) as free
    where uptime_monitors.project_id = free.project_id
      and uptime_monitors.monitor_id = free.monitor_id ${
    ofProject(sql, projectId, "uptime_monitors")
  }
    returning uptime_monitors.project_id::text as "projectId", uptime_monitors.monitor_id::text as "monitorId"
  `;
  if (ids.length === 0) return [];
  // Read again, since Citus takes no subquery in `returning`; nobody else claims them meanwhile.
  return await sql<Monitor[]>`
    select ${monitorColumns(sql)} from uptime_monitors
    where claimed_by = ${holder} and (uptime_monitors.project_id, uptime_monitors.monitor_id) in (
      select * from ${incoming(sql, ids, ID_COLUMNS)}
    ) ${ofProject(sql, projectId, "uptime_monitors")}
  `;
}

/**
 * Gives a claim back without a result.
 *
 * @param dueAt when the monitor is to be claimed again; null: as it stands
 */
export async function releaseMonitor(
  sql: Sql,
  { projectId, monitorId }: Id,
  holder: string,
  dueAt: Date | null = null,
): Promise<void> {
  await sql`
    update uptime_monitors set claimed_by = null, claimed_until = '-infinity'
      ${dueAt === null ? sql`` : sql`, due_at = ${dueAt}`}
    where project_id = ${projectId} and monitor_id = ${monitorId} and claimed_by = ${holder}
  `;
}
