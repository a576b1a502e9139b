/** The checks of monitors as pages and the API show them. */
import type postgres from "postgres";
import type { Interval } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import {
  type Cursor,
  type CursorPage,
  cutPage,
  isIsoTime,
  readCursor,
} from "../../store/query_limits.ts";
import type { MonitorState } from "./monitor.ts";

export interface Check {
  readonly dueAt: Date;
  readonly checkedAt: Date;
  readonly status: MonitorState;
  /** What kind of failure it was; `""` for none. */
  readonly reason: string;
  readonly message: string;
  readonly httpStatus: number | null;
  readonly totalMs: number | null;
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly firstByteMs: number | null;
  readonly downloadMs: number | null;
  readonly address: string;
  /** 32 hex digits; null of what was not measured. */
  readonly traceId: string | null;
  readonly isMaintenance: boolean;
  readonly incidentId: string | null;
}

interface MonitorIds {
  readonly projectId: string;
  readonly monitorId: string;
}

/**
 * The checks of a monitor, the latest first.
 *
 * @param cursor as text from an earlier page, or null
 */
export async function listChecks(
  sql: Sql,
  { projectId, monitorId }: MonitorIds,
  { start, end }: Interval,
  { cursor: text, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<CursorPage<Check>> {
  const cursor = readCursor(text, (value) => isIsoTime(value));
  const isBackwards = cursor?.direction === "previous";
  const rows = await sql<Check[]>`
    select ${columns(sql)} from uptime_checks
    where project_id = ${projectId} and monitor_id = ${monitorId}
      and due_at >= ${start} and due_at < ${end} ${beyond(sql, cursor)}
    order by due_at ${isBackwards ? sql`asc` : sql`desc`}
    limit ${limit + 1}
  `;
  return cutPage(rows, limit, cursor, ({ dueAt }) => ({ value: dueAt.toISOString(), id: "" }));
}

function beyond(sql: Sql, cursor: Cursor | null): postgres.Fragment {
  if (cursor === null) return sql``;
  return cursor.direction === "previous"
    ? sql`and due_at > ${cursor.value}`
    : sql`and due_at < ${cursor.value}`;
}

/** The checks of an incident, the first ones first. */
export async function checksOfIncident(
  sql: Sql,
  projectId: string,
  incidentId: string,
  { start, end }: Interval,
  limit: number,
): Promise<Check[]> {
  return await sql<Check[]>`
    select ${columns(sql)} from uptime_checks
    where project_id = ${projectId} and incident_id = ${incidentId}
      and due_at >= ${start} and due_at < ${end}
    order by due_at limit ${limit}
  `;
}

/** How long the checks of a time took, by phase: means in milliseconds, null where there were none. */
export interface LatencyBucket {
  readonly start: Date;
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  readonly firstByte: number | null;
  readonly download: number | null;
}

/** The mean of each phase over a time, of the checks that succeeded; buckets without any are absent. */
export async function latencyOf(
  sql: Sql,
  { projectId, monitorId }: MonitorIds,
  { start, end }: Interval,
  stepMs: number,
): Promise<LatencyBucket[]> {
  return await sql<LatencyBucket[]>`
    select
      to_timestamp(floor(extract(epoch from checked_at) * 1000 / ${stepMs}) * ${stepMs} / 1000)
        as start,
      avg(dns_ms) as dns, avg(connect_ms) as connect, avg(tls_ms) as tls,
      avg(first_byte_ms) as "firstByte", avg(download_ms) as download
    from uptime_checks
    where project_id = ${projectId} and monitor_id = ${monitorId}
      and due_at >= ${start} and due_at < ${end} and status in ('up', 'degraded')
    group by 1 order by 1
  `;
}

function columns(sql: Sql): postgres.Fragment {
  return sql`
    due_at as "dueAt", checked_at as "checkedAt", status, reason, message,
    http_status as "httpStatus", total_ms as "totalMs", dns_ms as "dnsMs",
    connect_ms as "connectMs", tls_ms as "tlsMs", first_byte_ms as "firstByteMs",
    download_ms as "downloadMs", address, replace(trace_id::text, '-', '') as "traceId",
    is_maintenance as "isMaintenance", incident_id::text as "incidentId"
  `;
}
