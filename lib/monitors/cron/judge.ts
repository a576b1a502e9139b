/** Incidents: failed runs in a row open one, good runs in a row end it. */
import type { Transaction } from "../../store/database.ts";
import type { MonitorConfig } from "./config.ts";

/** A run that has ended, one way or another. */
export interface Ended {
  readonly checkInId: string;
  readonly status: "ok" | "error" | "missed" | "timeout";
  readonly startedAt: Date;
}

/** The environment of a monitor, whose row is locked. */
export interface Place {
  readonly projectId: string;
  readonly slug: string;
  readonly environment: string;
  readonly config: MonitorConfig | null;
}

/**
 * Counts a run that has ended, and opens or ends the incident of its environment. Only ended runs count, and as many as
 * the threshold says. What issues are to be told is noted in the same transaction.
 *
 * @param now when it was found out
 */
export async function judge(
  tx: Transaction,
  place: Place,
  ended: Ended,
  now: Date,
): Promise<void> {
  const { projectId, slug, environment, config } = place;
  const [state] = await tx<{ incidentId: string | null; isMuted: boolean }[]>`
    select incident_id as "incidentId", state.is_muted or monitors.is_muted as "isMuted"
    from monitor_environments state join monitors using (project_id, slug)
    where project_id = ${projectId} and slug = ${slug} and environment = ${environment}
  `;
  if (state === undefined) return;
  const { incidentId, isMuted } = state;
  if (ended.status === "ok") {
    if (incidentId === null) await setStatus(tx, place, "ok", null);
    else if (await lastAre(tx, place, "good", config?.recovery_threshold ?? 1)) {
      await endIncident(tx, place, incidentId, now);
    }
    return;
  }
  const opened = incidentId ?? await openIncident(tx, place, ended);
  if (opened === null) return;
  await tx`
    update monitor_incidents set failures = failures + 1
    where project_id = ${projectId} and incident_id = ${opened}
  `;
  if (!isMuted) await note(tx, place, opened, ended.checkInId, now);
}

/** Opens an incident when enough runs have failed in a row. @returns its id; null when they have not */
async function openIncident(tx: Transaction, place: Place, ended: Ended): Promise<string | null> {
  const threshold = place.config?.failure_issue_threshold ?? 1;
  if (!await lastAre(tx, place, "failed", threshold)) return null;
  const { projectId, slug, environment } = place;
  const incidentId = crypto.randomUUID();
  await tx`
    insert into monitor_incidents
      (project_id, incident_id, slug, environment, started_at, failures)
    select ${projectId}, ${incidentId}, ${slug}, ${environment},
      least(min(started_at), ${ended.startedAt}::timestamptz), ${threshold - 1}
    from (${lastEnded(tx, place, threshold)}) as failed
  `;
  await setStatus(tx, place, "error", incidentId);
  return incidentId;
}

async function endIncident(
  tx: Transaction,
  place: Place,
  incidentId: string,
  now: Date,
): Promise<void> {
  await tx`
    update monitor_incidents set resolved_at = ${now}
    where project_id = ${place.projectId} and incident_id = ${incidentId}
  `;
  await setStatus(tx, place, "ok", null);
  await note(tx, place, incidentId, null, now);
}

/** The last runs of an environment that have ended, so many. */
function lastEnded(tx: Transaction, { projectId, slug, environment }: Place, count: number) {
  return tx`
    select status, started_at from check_ins
    where project_id = ${projectId} and monitor_slug = ${slug} and environment = ${environment}
      and status in ('ok', 'error', 'missed', 'timeout')
    order by started_at desc, received_at desc limit ${count}
  `;
}

async function lastAre(
  tx: Transaction,
  place: Place,
  wanted: "good" | "failed",
  count: number,
): Promise<boolean> {
  const rows = await tx<{ status: string }[]>`${lastEnded(tx, place, count)}`;
  const isGood = wanted === "good";
  return rows.length === count && rows.every(({ status }) => (status === "ok") === isGood);
}

async function setStatus(
  tx: Transaction,
  { projectId, slug, environment }: Place,
  status: "ok" | "error",
  incidentId: string | null,
): Promise<void> {
  await tx`
    update monitor_environments set status = ${status}, incident_id = ${incidentId}
    where project_id = ${projectId} and slug = ${slug} and environment = ${environment}
  `;
}

async function note(
  tx: Transaction,
  { projectId, slug }: Place,
  incidentId: string,
  checkInId: string | null,
  now: Date,
): Promise<void> {
  await tx`
    insert into monitor_notes
      (project_id, event_id, slug, incident_id, check_in_id, noted_at)
    values (
      ${projectId}, gen_random_uuid(), ${slug}, ${incidentId}, ${checkInId}::uuid, ${now}
    )
  `;
}
