/** Incidents: times in which a monitor was down, with what was seen and what people said. */
import type postgres from "postgres";
import { storable } from "../../core/errors.ts";
import { enqueueNotice } from "../../alerts/mod.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import type { ProbeResult } from "../probes/probe.ts";
import type { Monitor, SeenCertificate } from "./monitor.ts";
import { isMonitorId } from "./monitors.ts";
import { endedNotice, type NoticePlace } from "./notices.ts";

export interface Comment {
  /** ISO 8601. */
  readonly at: string;
  /** E-mail address of whoever wrote it. */
  readonly by: string;
  readonly text: string;
}

export interface Incident {
  readonly projectId: string;
  /** UUID. */
  readonly incidentId: string;
  readonly monitorId: string;
  /** The first failed check. */
  readonly openedAt: Date;
  /** The end of the check with which it was certain. */
  readonly confirmedAt: Date;
  /** The first check that succeeded again; null while it goes on. */
  readonly closedAt: Date | null;
  /** The last failed check. */
  readonly lastSeen: Date;
  /** What kind of failure it is. */
  readonly reason: string;
  /** A sentence. */
  readonly message: string;
  /** Failed checks. */
  readonly checks: number;
  readonly comments: readonly Comment[];
  readonly reminders: number;
  readonly toldAt: Date | null;
}

/** What was seen when an incident opened. */
export interface Evidence {
  readonly status: number | null;
  readonly address: string | null;
  readonly durationMs: number;
  readonly phases: ProbeResult["phases"];
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The first 8 KiB. */
  readonly body: string;
  readonly redirects: readonly string[];
  readonly certificate: SeenCertificate | null;
}

const MAX_BODY = 8_192;
const MAX_HEADERS = 100;
const MAX_HEADER = 1_000;

/**
 * What is kept of a failed check.
 *
 * @param hide takes the monitor's secrets out of a text
 */
export function evidenceOf(
  { status, address, durationMs, phases, headers, body, redirects, certificate }: ProbeResult,
  hide: (text: string) => string,
): Evidence {
  return {
    status,
    address,
    durationMs,
    phases,
    headers: Object.entries(headers).slice(0, MAX_HEADERS)
      .map(([name, value]) => [name, hide(value).slice(0, MAX_HEADER)]),
    body: hide(body).slice(0, MAX_BODY),
    redirects: redirects.map(hide),
    certificate: certificate === null ? null : seenCertificate(certificate),
  };
}

/** A certificate as it is kept. */
export function seenCertificate(
  certificate: NonNullable<ProbeResult["certificate"]>,
): SeenCertificate {
  return {
    ...certificate,
    names: certificate.names.slice(0, 100),
    validFrom: certificate.validFrom.toISOString(),
    validTo: certificate.validTo.toISOString(),
  };
}

/** The newest incidents of a monitor, or of all monitors of a project. */
export async function listIncidents(
  sql: Sql,
  projectId: string,
  monitorId: string | null,
  { limit, before = null }: { readonly limit: number; readonly before?: Date | null },
): Promise<Incident[]> {
  return await sql<Incident[]>`
    select ${columns(sql)} from uptime_incidents
    where project_id = ${projectId}
      ${monitorId === null ? sql`` : sql`and monitor_id = ${monitorId}`}
      ${before === null ? sql`` : sql`and opened_at < ${before}`}
    order by opened_at desc, incident_id limit ${limit}
  `;
}

/** One incident of a monitor with what was seen, or null. */
export async function findIncident(
  sql: Sql,
  projectId: string,
  monitorId: string,
  incidentId: string,
): Promise<(Incident & { readonly evidence: Evidence }) | null> {
  if (!isMonitorId(incidentId)) return null;
  const [row] = await sql<(Incident & { readonly evidence: string })[]>`
    select ${columns(sql)}, evidence from uptime_incidents
    where project_id = ${projectId} and incident_id = ${incidentId} and monitor_id = ${monitorId}
  `;
  // Written by `openIncident()` alone.
  return row === undefined ? null : { ...row, evidence: JSON.parse(row.evidence) as Evidence };
}

/** Opens an incident, in the transaction of the check that is certain of it. */
export async function openIncident(
  tx: Queryable,
  incident: Omit<Incident, "comments" | "reminders" | "closedAt">,
  evidence: Evidence,
): Promise<void> {
  await tx`
    insert into uptime_incidents (
      project_id, incident_id, monitor_id, opened_at, confirmed_at, last_seen, reason, message,
      checks, evidence, told_at
    ) values (
      ${incident.projectId}, ${incident.incidentId}, ${incident.monitorId}, ${incident.openedAt},
      ${incident.confirmedAt}, ${incident.lastSeen}, ${incident.reason}, ${incident.message},
      ${incident.checks}, ${JSON.stringify(evidence)}, ${incident.toldAt}
    )
  `;
}

/** Ends the incident of a monitor that nobody looks at any more, and tells those who were told of it. */
export async function endIncident(
  sql: Sql,
  monitor: Monitor,
  why: "paused" | "deleted",
  place: NoticePlace,
  now: Date = new Date(),
): Promise<void> {
  const { projectId, monitorId, channelIds } = monitor;
  await sql.begin(async (tx) => {
    const [current] = await tx<{ incidentId: string | null }[]>`
      select incident_id::text as "incidentId" from uptime_monitors
      where project_id = ${projectId} and monitor_id = ${monitorId} for update
    `;
    const incidentId = current?.incidentId ?? null;
    if (incidentId === null) return;
    await tx`
      update uptime_monitors set incident_id = null, state = 'unknown', since = ${now}, failures = 0,
        successes = 0, turning_since = null, counted_until = null, version = version + 1
      where project_id = ${projectId} and monitor_id = ${monitorId}
    `;
    await tx`
      update uptime_incidents set closed_at = ${now}
      where project_id = ${projectId} and incident_id = ${incidentId}
    `;
    await enqueueNotice(tx, endedNotice(monitor, incidentId, why, now, place), channelIds);
  });
}

/** What people say to one incident. */
const MAX_COMMENTS = 200;
export const MAX_COMMENT = 4_000;

/** Adds a comment. @returns false when there are too many, or the incident is gone */
export async function addComment(
  sql: Sql,
  { projectId, incidentId }: Pick<Incident, "projectId" | "incidentId">,
  { by, text }: Pick<Comment, "by" | "text">,
  now: Date = new Date(),
): Promise<boolean> {
  const comment: Comment = {
    at: now.toISOString(),
    by: storable(by),
    text: storable(text.slice(0, MAX_COMMENT)).toWellFormed(),
  };
  const { count } = await sql`
    update uptime_incidents set comments = comments || ${JSON.stringify([comment])}::text::jsonb
    where project_id = ${projectId} and incident_id = ${incidentId}
      and jsonb_array_length(comments) < ${MAX_COMMENTS}
  `;
  return count > 0;
}

function columns(sql: Queryable): postgres.Fragment {
  return sql`
    project_id::text as "projectId", incident_id::text as "incidentId",
    monitor_id::text as "monitorId", opened_at as "openedAt", confirmed_at as "confirmedAt",
    closed_at as "closedAt", last_seen as "lastSeen", reason, message, checks, comments, reminders,
    told_at as "toldAt"
  `;
}

/** The incident that goes on, in the transaction of a check. */
export async function currentIncident(
  tx: Queryable,
  projectId: string,
  incidentId: string,
): Promise<Incident | null> {
  const [incident] = await tx<Incident[]>`
    select ${columns(tx)} from uptime_incidents
    where project_id = ${projectId} and incident_id = ${incidentId}
  `;
  return incident ?? null;
}
