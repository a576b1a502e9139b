/** What was measured elsewhere, as an import brings it: it moves no monitor, opens no incident and tells nobody. */
import { DAY_MS } from "../../core/time.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { ensurePartitions } from "../../store/partitions.ts";
import { type Columns, incoming } from "../../store/write_rows.ts";
import type { Check } from "./checks.ts";
import type { Evidence, Incident } from "./incidents.ts";
import { addingUp, type PeriodSum } from "./sums.ts";

/** Whose it is: a monitor of the project that it is kept for. */
interface OfMonitor {
  readonly monitorId: string;
}

export interface PastCheck extends Check, OfMonitor {}
export interface PastHour extends PeriodSum, OfMonitor {}
export type PastIncident = Omit<Incident, "projectId"> & {
  readonly closedAt: Date;
  readonly evidence: Evidence;
};

const CHECKS: Columns<PastCheck> = {
  monitor_id: ["uuid", ({ monitorId }) => monitorId],
  due_at: ["timestamptz", ({ dueAt }) => dueAt],
  checked_at: ["timestamptz", ({ checkedAt }) => checkedAt],
  status: ["text", ({ status }) => status],
  reason: ["text", ({ reason }) => reason],
  message: ["text", ({ message }) => message],
  http_status: ["integer", ({ httpStatus }) => httpStatus],
  total_ms: ["double precision", ({ totalMs }) => totalMs],
  dns_ms: ["double precision", ({ dnsMs }) => dnsMs],
  connect_ms: ["double precision", ({ connectMs }) => connectMs],
  tls_ms: ["double precision", ({ tlsMs }) => tlsMs],
  first_byte_ms: ["double precision", ({ firstByteMs }) => firstByteMs],
  download_ms: ["double precision", ({ downloadMs }) => downloadMs],
  address: ["text", ({ address }) => address],
  trace_id: ["uuid", ({ traceId }) => traceId],
  is_maintenance: ["boolean", ({ isMaintenance }) => isMaintenance],
  incident_id: ["uuid", ({ incidentId }) => incidentId],
};

/**
 * Keeps results; of a monitor and a due time that has one that stays. They belong to incidents of their monitor only.
 *
 * @param checks within the retention and not to come: each of their days gets partitions
 * @returns how many are new
 */
export async function keepPastChecks(
  sql: Sql,
  projectId: string,
  checks: readonly PastCheck[],
): Promise<number> {
  if (checks.length === 0) return 0;
  await ensurePartitions(sql, checks.map(({ dueAt }) => dueAt));
  const owners = await ownersOf(
    sql,
    projectId,
    checks.flatMap(({ incidentId }) => incidentId ?? []),
  );
  const rows = checks.map((check) => {
    const isOwn = check.incidentId !== null && owners.get(check.incidentId) === check.monitorId;
    return isOwn ? check : { ...check, incidentId: null };
  });
  // Citus counts those that were there already.
  const { length } = await sql`
    insert into uptime_checks (
      project_id, monitor_id, due_at, checked_at, status, reason, message, http_status, total_ms,
      dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms, address, trace_id, is_maintenance,
      incident_id
    )
    select ${projectId}::bigint, monitor_id, due_at, checked_at, status, reason, message,
      http_status, total_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms, address,
      trace_id, is_maintenance, incident_id
    from ${incoming(sql, rows, CHECKS)}
    on conflict do nothing returning due_at
  `;
  return length;
}

/** The monitors that incidents belong to, by their ids as they are given. */
async function ownersOf(
  sql: Sql,
  projectId: string,
  incidentIds: readonly string[],
): Promise<Map<string, string>> {
  const ids = [...new Set(incidentIds)];
  if (ids.length === 0) return new Map();
  const rows = await sql<{ id: string; monitorId: string }[]>`
    select incident_id::text as id, monitor_id::text as "monitorId" from uptime_incidents
    where project_id = ${projectId} and incident_id = any (${ids}::uuid[])
  `;
  return new Map(rows.map(({ id, monitorId }) => [id, monitorId]));
}

const INCIDENTS: Columns<PastIncident> = {
  incident_id: ["uuid", ({ incidentId }) => incidentId],
  monitor_id: ["uuid", ({ monitorId }) => monitorId],
  opened_at: ["timestamptz", ({ openedAt }) => openedAt],
  confirmed_at: ["timestamptz", ({ confirmedAt }) => confirmedAt],
  closed_at: ["timestamptz", ({ closedAt }) => closedAt],
  last_seen: ["timestamptz", ({ lastSeen }) => lastSeen],
  reason: ["text", ({ reason }) => reason],
  message: ["text", ({ message }) => message],
  checks: ["integer", ({ checks }) => checks],
  evidence: ["text", ({ evidence }) => JSON.stringify(evidence)],
  comments: ["text", ({ comments }) => JSON.stringify(comments)],
  reminders: ["integer", ({ reminders }) => reminders],
  told_at: ["timestamptz", ({ toldAt }) => toldAt],
};

/** Keeps incidents that are over; those whose ids are known stay as they are. @returns how many are new */
export async function keepPastIncidents(
  sql: Sql,
  projectId: string,
  incidents: readonly PastIncident[],
): Promise<number> {
  if (incidents.length === 0) return 0;
  const { length } = await sql`
    insert into uptime_incidents (
      project_id, incident_id, monitor_id, opened_at, confirmed_at, closed_at, last_seen, reason,
      message, checks, evidence, comments, reminders, told_at
    )
    select ${projectId}::bigint, incident_id, monitor_id, opened_at, confirmed_at, closed_at,
      last_seen, reason, message, checks, evidence, comments::jsonb, reminders, told_at
    from ${incoming(sql, incidents, INCIDENTS)}
    on conflict do nothing returning incident_id
  `;
  return length;
}

const SUMS: Columns<PastHour> = {
  monitor_id: ["uuid", ({ monitorId }) => monitorId],
  start: ["timestamptz", ({ start }) => start],
  up_sec: ["double precision", ({ upSec }) => upSec],
  degraded_sec: ["double precision", ({ degradedSec }) => degradedSec],
  down_sec: ["double precision", ({ downSec }) => downSec],
  unknown_sec: ["double precision", ({ unknownSec }) => unknownSec],
  maintenance_sec: ["double precision", ({ maintenanceSec }) => maintenanceSec],
  checks: ["integer", ({ checks }) => checks],
  failures: ["integer", ({ failures }) => failures],
  ms_sum: ["double precision", ({ msSum }) => msSum],
};

/**
 * Keeps what monitors were for how long, by hour, and adds it to their days. An hour that has been measured here stays as
 * it is.
 *
 * @param hours each once
 * @returns how many are new
 */
export async function keepPastHours(
  sql: Sql,
  projectId: string,
  hours: readonly PastHour[],
): Promise<number> {
  if (hours.length === 0) return 0;
  const byKey = new Map(hours.map((hour) => [keyOf(hour), hour]));
  return await sql.begin(async (tx) => {
    const rows = await tx<{ monitorId: string; start: Date }[]>`
      insert into uptime_hours (
        project_id, monitor_id, start, up_sec, degraded_sec, down_sec, unknown_sec, maintenance_sec,
        checks, failures, ms_sum
      )
      select ${projectId}::bigint, monitor_id, start, up_sec, degraded_sec, down_sec, unknown_sec,
        maintenance_sec, checks, failures, ms_sum
      from ${incoming(tx, [...byKey.values()], SUMS)}
      order by monitor_id, start
      on conflict do nothing returning monitor_id::text as "monitorId", start
    `;
    const kept = rows.flatMap((row) => byKey.get(keyOf(row)) ?? []);
    if (kept.length > 0) await addToDays(tx, projectId, kept);
    return kept.length;
  });
}

function keyOf({ monitorId, start }: Pick<PastHour, "monitorId" | "start">): string {
  return `${monitorId}/${start.getTime()}`;
}

async function addToDays(
  tx: Transaction,
  projectId: string,
  hours: readonly PastHour[],
): Promise<void> {
  const days = hours.map((hour) => {
    const time = hour.start.getTime();
    return { ...hour, start: new Date(time - time % DAY_MS) };
  });
  await tx`
    insert into uptime_days as sums (
      project_id, monitor_id, start, up_sec, degraded_sec, down_sec, unknown_sec, maintenance_sec,
      checks, failures, ms_sum
    )
    select ${projectId}::bigint, monitor_id, start, sum(up_sec), sum(degraded_sec), sum(down_sec),
      sum(unknown_sec), sum(maintenance_sec), sum(checks), sum(failures), sum(ms_sum)
    from ${incoming(tx, days, SUMS)}
    group by monitor_id, start order by monitor_id, start
    ${addingUp(tx)}
  `;
}
