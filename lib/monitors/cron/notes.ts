/** Tells issues what became of incidents: an event for each failed run, and their end. */
import { changeIssues, monitorTexts, SYSTEM } from "../../errors/mod.ts";
import type { Raw } from "../../formats/fields.ts";
import type { Sql } from "../../store/database.ts";
import { storedConfig } from "./config.ts";
import { scheduleWords } from "./schedule.ts";

/**
 * Stores an event of a project by the way of all events.
 *
 * @param event in Sentry's shape, with its `event_id`: stored twice, it is stored once
 * @throws {StoreUnavailable} when it has to be tried again
 */
export type StoreEvent = (projectId: string, event: Raw) => Promise<void>;

/** More wait for the next look. */
const A_ROUND = 200;

interface Note {
  readonly projectId: string;
  /** 32 lower-case hex digits. */
  readonly eventId: string;
  readonly slug: string;
  readonly incidentId: string;
  readonly checkInId: string | null;
}

/** Tells what is noted, in its order, and takes the notes away. */
export async function tellNotes(
  sql: Sql,
  storeEvent: StoreEvent,
  now: Date,
  stopping: AbortSignal,
): Promise<void> {
  const notes = await sql<Note[]>`
    select project_id as "projectId", replace(event_id::text, '-', '') as "eventId", slug,
      incident_id as "incidentId", check_in_id as "checkInId"
    from monitor_notes
    where not exists (select 1 from deleted_projects where id = project_id)
    order by sequence limit ${A_ROUND}
  `;
  for (const note of notes) {
    // While this process hung, another may have told it, and its issue may be open again.
    if (stopping.aborted || !await isThere(sql, note)) return;
    if (note.checkInId === null) await resolveIssue(sql, note, now);
    else await tellFailure(sql, storeEvent, note);
    await sql`
      delete from monitor_notes where project_id = ${note.projectId} and event_id = ${note.eventId}
    `;
  }
}

async function isThere(sql: Sql, { projectId, eventId }: Note): Promise<boolean> {
  const found = await sql`
    select from monitor_notes where project_id = ${projectId} and event_id = ${eventId}
  `;
  return found.count > 0;
}

async function resolveIssue(sql: Sql, { projectId, incidentId }: Note, now: Date): Promise<void> {
  const [row] = await sql<{ issueId: string | null }[]>`
    select issue_id as "issueId" from monitor_incidents
    where project_id = ${projectId} and incident_id = ${incidentId}
  `;
  if (!row?.issueId) return;
  // Of an issue that was merged, the one that it is part of now has reasons of its own.
  const status = { to: "resolved" } as const;
  await changeIssues({ sql }, projectId, [row.issueId], { status }, SYSTEM, now);
}

async function tellFailure(sql: Sql, storeEvent: StoreEvent, note: Note): Promise<void> {
  const { projectId, eventId, incidentId } = note;
  const failure = await findFailure(sql, note);
  // Deleted in the meantime, with its monitor.
  if (failure === null) return;
  await storeEvent(projectId, eventOf(note, failure));
  await sql`
    update monitor_incidents set issue_id = event_ids.issue_id from event_ids
    where monitor_incidents.project_id = ${projectId} and incident_id = ${incidentId}
      and event_ids.project_id = ${projectId} and event_ids.event_id = ${eventId}
  `;
}

interface Failure {
  readonly monitorId: string;
  readonly name: string;
  readonly environment: string;
  readonly release: string;
  readonly status: string;
  readonly startedAt: Date;
  readonly receivedAt: Date;
  readonly expectedAt: Date | null;
  readonly durationSec: number | null;
  readonly traceId: string | null;
  readonly log: string | null;
  readonly config: unknown;
  /** Failed runs of the incident so far, by what they were. */
  readonly errors: number;
  readonly missed: number;
  readonly timeouts: number;
  readonly lastOkAt: Date | null;
}

async function findFailure(
  sql: Sql,
  { projectId, slug, incidentId, checkInId }: Note,
): Promise<Failure | null> {
  const [failure] = await sql<Failure[]>`
    select monitors.monitor_id as "monitorId", monitors.name, run.environment, run.release, run.status,
      run.started_at as "startedAt", run.received_at as "receivedAt",
      run.expected_at as "expectedAt", run.duration_sec as "durationSec",
      replace(run.trace_id::text, '-', '') as "traceId", run.log, run.config, counted.*,
      (
        select max(started_at) from check_ins good
        where good.project_id = ${projectId} and good.monitor_slug = ${slug}
          and good.environment = run.environment and good.status = 'ok'
          and good.started_at < run.started_at
      ) as "lastOkAt"
    from check_ins run
    join monitors on monitors.project_id = ${projectId} and monitors.slug = ${slug}
    join monitor_incidents incident
      on incident.project_id = ${projectId} and incident.incident_id = ${incidentId}
    cross join lateral (
      select
        count(*) filter (where status = 'error')::int as errors,
        count(*) filter (where status = 'missed')::int as missed,
        count(*) filter (where status = 'timeout')::int as timeouts
      from check_ins counted
      where counted.project_id = ${projectId} and counted.monitor_slug = ${slug}
        and counted.environment = run.environment
        and counted.started_at between incident.started_at and run.started_at
    ) as counted
    where run.project_id = ${projectId} and run.check_in_id = ${checkInId}
  `;
  return failure ?? null;
}

/** An event as an SDK would send it: all of one incident are one issue. */
function eventOf({ eventId, slug, incidentId }: Note, failure: Failure): Raw {
  const { monitorId, name, environment, release, traceId, log } = failure;
  const config = storedConfig(failure.config);
  const { title, culprit } = monitorTexts(name, failure);
  return {
    event_id: eventId,
    timestamp: failure.receivedAt.toISOString(),
    platform: "other",
    level: "error",
    logger: "monitors",
    message: title,
    culprit,
    environment,
    ...(release !== "" && { release }),
    fingerprint: ["monitor-incident", incidentId],
    tags: {
      "monitor.id": monitorId,
      "monitor.slug": slug,
      "monitor.incident": incidentId,
    },
    contexts: {
      monitor: {
        name,
        slug,
        environment,
        status: failure.status,
        reason: culprit,
        expected: failure.expectedAt?.toISOString() ?? null,
        started: failure.status === "missed" ? null : failure.startedAt.toISOString(),
        duration_sec: failure.durationSec,
        last_success: failure.lastOkAt?.toISOString() ?? "never",
        ...(config !== null && { schedule: scheduleWords(config) }),
      },
      ...(traceId !== null && { trace: { trace_id: traceId, span_id: traceId.slice(0, 16) } }),
    },
    ...(log !== null && { extra: { log } }),
  };
}
