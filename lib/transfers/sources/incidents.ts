/** Incidents of uptime monitors in the words of the API, and those of cron jobs in Sentry's. */
import { listMonitors } from "../../monitors/mod.ts";
import type { Sql } from "../../store/database.ts";
import { CRON_INCIDENT } from "../histories/cron_lines.ts";
import { issueNames, ownerNames } from "../histories/owners.ts";
import { UPTIME_INCIDENT } from "../histories/uptime_lines.ts";
import { type Batch, type ExportSource, linesOf, type Range } from "./source.ts";

/** Each has what was seen: some kilobytes. */
const ROWS = 100;

/** Cursor: `cron` or not, and the id of the last incident. */
export const incidents: ExportSource = {
  name: "incidents",
  async next({ sql }, range, cursor) {
    const [isOfCron, last]: [boolean, string | null] = JSON.parse(cursor ?? "[false,null]");
    return isOfCron ? await ofCron(sql, range, last) : await ofUptime(sql, range, last);
  },
};

interface UptimeRow {
  readonly id: string;
  readonly monitorId: string;
  readonly dateClosed: Date | null;
  readonly evidence: string;
}

async function ofUptime(
  sql: Sql,
  { projectId, since, until }: Range,
  cursor: string | null,
): Promise<Batch> {
  const rows = await sql<UptimeRow[]>`
    select incident_id::text as id, monitor_id::text as "monitorId", opened_at as "dateOpened",
      confirmed_at as "dateConfirmed", closed_at as "dateClosed", last_seen as "dateLastSeen", reason,
      message, checks, comments, reminders, told_at as "dateNotified", evidence
    from uptime_incidents
    where project_id = ${projectId} and opened_at < ${until}
      and coalesce(closed_at, 'infinity') >= ${since}
      ${cursor === null ? sql`` : sql`and incident_id > ${cursor}::uuid`}
    order by incident_id limit ${ROWS}
  `;
  const last = rows.at(-1);
  const monitors = rows.length === 0 ? [] : await listMonitors(sql, projectId);
  const names = ownerNames(monitors.map(({ monitorId, name }) => ({ id: monitorId, name })));
  const lines = rows.flatMap(({ monitorId, evidence, ...row }) => {
    const monitor = names.get(monitorId);
    if (monitor === undefined) return [];
    return [{
      type: UPTIME_INCIDENT,
      monitor,
      ...row,
      ...goingOn(row.dateClosed, until),
      evidence: JSON.parse(evidence),
    }];
  });
  const isLast = last === undefined || rows.length < ROWS;
  return {
    cursor: JSON.stringify(isLast ? [true, null] : [false, last.id]),
    counts: { incidents: lines.length },
    pieces: linesOf("incidents.jsonl", lines),
  };
}

interface CronRow {
  readonly id: string;
  readonly resolvingTimestamp: Date | null;
  readonly issueId: string | null;
}

async function ofCron(
  sql: Sql,
  { projectId, since, until }: Range,
  cursor: string | null,
): Promise<Batch> {
  const rows = await sql<CronRow[]>`
    select incident_id::text as id, slug as monitor_slug, environment,
      started_at as "startingTimestamp", resolved_at as "resolvingTimestamp", failures,
      issue_id::text as "issueId"
    from monitor_incidents
    where project_id = ${projectId} and started_at < ${until}
      and coalesce(resolved_at, 'infinity') >= ${since}
      ${cursor === null ? sql`` : sql`and incident_id > ${cursor}::uuid`}
    order by incident_id limit ${ROWS}
  `;
  const last = rows.at(-1);
  const issues = await issueNames(sql, projectId, rows.flatMap(({ issueId }) => issueId ?? []));
  const lines = rows.map(({ issueId, ...row }) => ({
    type: CRON_INCIDENT,
    ...row,
    ...goingOn(row.resolvingTimestamp, until),
    issue: issues.get(issueId ?? "") ?? null,
  }));
  return {
    cursor: last !== undefined && rows.length === ROWS ? JSON.stringify([true, last.id]) : null,
    counts: { incidents: lines.length },
    pieces: linesOf("incidents.jsonl", lines),
  };
}

/** When that was so of one that has no end yet. */
function goingOn(end: Date | null, until: Date): { readonly goesOnAt?: Date } {
  return end === null ? { goesOnAt: until } : {};
}
