/** What uptime monitors have measured: each result, and what they were for how long by hour. */
import { listMonitors } from "../../monitors/mod.ts";
import type { Sql } from "../../store/database.ts";
import { ownerNames } from "../histories/owners.ts";
import { compact, UPTIME_CHECK, UPTIME_HOUR } from "../histories/uptime_lines.ts";
import { type ExportSource, linesOf } from "./source.ts";

/** A line is short, and there may be millions. */
const ROWS = 2_000;

interface Keyed {
  readonly monitorId: string;
  /** With all its digits. */
  readonly key: string;
}

interface CheckRow extends Keyed {
  readonly dateDue: Date;
  readonly dateChecked: Date;
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  readonly firstByte: number | null;
  readonly download: number | null;
}

/** Cursor: monitor and due time of the last result. */
export const uptimeChecks: ExportSource = {
  name: "uptime_checks",
  async next({ sql }, { projectId, since, until }, cursor) {
    const rows = await sql<CheckRow[]>`
      select monitor_id::text as "monitorId", due_at::text as key, due_at as "dateDue",
        checked_at as "dateChecked", status, reason, message, http_status as "httpStatus",
        total_ms as "totalMs", dns_ms as dns, connect_ms as connect, tls_ms as tls,
        first_byte_ms as "firstByte", download_ms as download, address,
        replace(trace_id::text, '-', '') as "traceId", is_maintenance as "isMaintenance",
        incident_id::text as "incidentId"
      from uptime_checks
      where project_id = ${projectId} and due_at >= ${since} and due_at < ${until}
        ${behindKey(sql, cursor, "due_at")}
      order by monitor_id, due_at limit ${ROWS}
    `;
    return await batchOf(sql, projectId, rows, {
      name: "uptime_checks",
      type: UPTIME_CHECK,
      valuesOf: ({ dns, connect, tls, firstByte, download, ...row }) => ({
        ...row,
        phases: known({ dns, connect, tls, firstByte, download }),
      }),
    });
  },
};

interface HourRow extends Keyed {
  readonly start: Date;
}

/** Cursor: monitor and hour of the last sum. */
export const uptimeHours: ExportSource = {
  name: "uptime_hours",
  async next({ sql }, { projectId, since, until }, cursor) {
    const rows = await sql<HourRow[]>`
      select monitor_id::text as "monitorId", start::text as key, start, up_sec as "upSec",
        degraded_sec as "degradedSec", down_sec as "downSec", unknown_sec as "unknownSec",
        maintenance_sec as "maintenanceSec", checks, failures, ms_sum as "msSum"
      from uptime_hours
      where project_id = ${projectId} and start >= ${since} and start < ${until}
        ${behindKey(sql, cursor, "start")}
      order by monitor_id, start limit ${ROWS}
    `;
    return await batchOf(sql, projectId, rows, {
      name: "uptime_hours",
      type: UPTIME_HOUR,
      valuesOf: (row) => row,
    });
  },
};

/** Phases that a check came to. */
function known(phases: Readonly<Record<string, number | null>>): object {
  return Object.fromEntries(Object.entries(phases).filter(([, ms]) => ms !== null));
}

function behindKey(sql: Sql, cursor: string | null, column: string) {
  if (cursor === null) return sql``;
  const [monitorId = "", at = ""] = cursor.split("|");
  return sql`and (monitor_id, ${sql(column)}) > (${monitorId}::uuid, ${at}::text::timestamptz)`;
}

interface Lines<T> {
  /** Of the file, and of the count. */
  readonly name: string;
  readonly type: string;
  readonly valuesOf: (row: Omit<T, keyof Keyed>) => object;
}

/** Of monitors that are deleted results are left for some days, and nobody can say whose they were. */
async function batchOf<T extends Keyed>(
  sql: Sql,
  projectId: string,
  rows: readonly T[],
  { name, type, valuesOf }: Lines<T>,
) {
  const last = rows.at(-1);
  const monitors = rows.length === 0 ? [] : await listMonitors(sql, projectId);
  const names = ownerNames(monitors.map(({ monitorId, name }) => ({ id: monitorId, name })));
  const lines = rows.flatMap(({ monitorId, key: _, ...row }) => {
    const monitor = names.get(monitorId);
    return monitor === undefined ? [] : [{ type, monitor, ...compact(valuesOf(row)) }];
  });
  return {
    cursor: last !== undefined && rows.length === ROWS ? `${last.monitorId}|${last.key}` : null,
    counts: { [name]: lines.length },
    pieces: linesOf(`${name}.jsonl`, lines),
  };
}
