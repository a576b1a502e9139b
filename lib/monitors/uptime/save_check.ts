/** Stores a check with all that follows from it, in one transaction: whatever kills us, nobody is told twice, or never. */
import { storable, storableJson } from "../../core/errors.ts";
import { enqueueNotice, type Notice } from "../../alerts/mod.ts";
import { commitOnce, type Queryable, type Sql } from "../../store/database.ts";
import { ensurePartitions } from "../../store/partitions.ts";
import type { ProbeResult } from "../probes/probe.ts";
import {
  currentIncident,
  type Evidence,
  evidenceOf,
  openIncident,
  seenCertificate,
} from "./incidents.ts";
import { judge, type Verdict } from "./judge.ts";
import { domainOfTarget, type Monitor } from "./monitor.ts";
import { isNetworkProblem } from "./network.ts";
import {
  backNotice,
  certificateNotice,
  certificateThreshold,
  cutOffNotice,
  type NoticePlace,
  openedNotice,
  recoveredNotice,
  reminderDue,
  stillDownNotice,
} from "./notices.ts";
import { patienceMs, slotsBetween } from "./slots.ts";
import { addToSums } from "./sums.ts";
import { windowAt } from "./windows.ts";

/** A check that was made, with all that is known of it. */
export interface MadeCheck {
  /** As it was claimed. */
  readonly monitor: Monitor;
  readonly holder: string;
  /** The due time that the check is stored under. */
  readonly dueAt: Date;
  readonly endedAt: Date;
  readonly result: ProbeResult;
  /** 32 hex digits. */
  readonly traceId: string;
  readonly isCutOff: boolean;
  /** Takes the monitor's secrets out of a text. */
  readonly hide: (text: string) => string;
}

const SAVE_LIMIT_MS = 10_000;

/**
 * Stores a check: its row, how the monitor stands now, the incident, the sums, and the notices.
 *
 * @returns false when it counts for nothing: the monitor was changed or deleted meanwhile, or is somebody else's now
 */
export async function saveCheck(sql: Sql, check: MadeCheck, place: NoticePlace): Promise<boolean> {
  await ensurePartitions(sql, [check.dueAt, check.monitor.dueAt]);
  return await commitOnce({
    sql,
    statementTimeoutMs: SAVE_LIMIT_MS,
    deadline: performance.now() + SAVE_LIMIT_MS,
    work: (tx) => save(tx, check, place),
    isThere: async (counts) => counts ? await isSaved(sql, check) : null,
  });
}

async function isSaved(sql: Sql, { monitor, dueAt, traceId }: MadeCheck): Promise<boolean> {
  const rows = await sql`
    select from uptime_checks
    where project_id = ${monitor.projectId} and monitor_id = ${monitor.monitorId}
      and due_at = ${dueAt} and trace_id = ${traceId}::uuid
  `;
  return rows.length > 0;
}

async function save(tx: Queryable, check: MadeCheck, place: NoticePlace): Promise<boolean> {
  const { monitor, result } = check;
  const isMaintenance = windowAt(monitor.windows, result.at) !== null;
  const seen = { status: result.state, at: result.at, endedAt: check.endedAt };
  const verdict = judge(monitor, seen, { isMaintenance, isCutOff: check.isCutOff });
  const incidentId = verdict.incident === "opens" ? crypto.randomUUID() : monitor.incidentId;
  const certificate = certificateOf(check, isMaintenance);
  if (!await saveMonitor(tx, check, verdict, incidentId, certificate)) return false;
  await insertMissed(tx, check);
  await insertCheck(tx, check, {
    isMaintenance,
    incidentId: incidentOf(check, verdict, incidentId),
  });
  await addToSums(tx, monitor, verdict.spans, {
    at: result.at,
    ms: result.state === "down" ? null : result.durationMs,
  });
  const notices = [
    ...await followIncident(tx, check, verdict, incidentId, place),
    ...certificate === null || certificate.threshold === null
      ? []
      : [certificateNotice(monitor, certificate.seen, result.at, place)],
  ];
  for (const notice of notices) await enqueueNotice(tx, notice, monitor.channelIds);
  await followNetwork(tx, check, verdict, place);
  return true;
}

interface CertificateNews {
  readonly seen: NonNullable<Monitor["certificate"]>;
  /** That channels hear of now; null: none. In maintenance they hear of it afterwards. */
  readonly threshold: number | null;
}

function certificateOf(
  { monitor, result }: MadeCheck,
  isMaintenance: boolean,
): CertificateNews | null {
  if (result.certificate === null) return null;
  const seen = seenCertificate(result.certificate);
  return { seen, threshold: isMaintenance ? null : certificateThreshold(monitor, seen) };
}

/** Only of the claim that it was checked under: false when that is gone. */
async function saveMonitor(
  tx: Queryable,
  { monitor, holder, result, hide }: MadeCheck,
  verdict: Verdict,
  incidentId: string | null,
  certificate: CertificateNews | null,
): Promise<boolean> {
  const isDown = result.state === "down";
  const message = result.problem === null ? "" : textOf(hide(result.problem.sentence));
  const { count } = await tx`
    update uptime_monitors set
      due_at = ${verdict.dueAt}, claimed_by = null, claimed_until = '-infinity',
      state = ${verdict.state}, since = ${verdict.since}, failures = ${verdict.failures},
      successes = ${verdict.successes}, turning_since = ${verdict.turningSince},
      is_network_failure = ${isDown && isNetworkProblem(result)},
      is_cut_off = ${verdict.isCutOff},
      incident_id = ${verdict.incident === "closes" ? null : incidentId},
      checked_at = ${result.at}, last_ms = ${isDown ? null : result.durationMs},
      last_error = ${message}, counted_until = ${verdict.countedUntil},
      -- Of monitors from before there were domains, and as suffixes change.
      domain = ${domainOfTarget(monitor.target)}
      ${isDown ? tx`` : tx`, succeeded_at = ${result.at}`}
      ${
    certificate === null ? tx`` : tx`, certificate = ${storableJson(certificate.seen)}::text::jsonb`
  }
      ${
    certificate === null || certificate.threshold === null
      ? tx``
      : tx`, told_fingerprint = ${certificate.seen.fingerprint}, told_days = ${certificate.threshold}`
  }
    where project_id = ${monitor.projectId} and monitor_id = ${monitor.monitorId}
      and claimed_by = ${holder} and due_at = ${monitor.dueAt} and version = ${monitor.version}
      and not is_paused
  `;
  return count > 0;
}

/** Which incident a check belongs to: the one it fails in, or ends. */
function incidentOf(
  { result, monitor }: MadeCheck,
  { incident }: Verdict,
  incidentId: string | null,
): string | null {
  const isOf = incident !== "none" && (result.state === "down" || monitor.incidentId !== null);
  return isOf ? incidentId : null;
}

/** Says so where checks were missed. */
async function insertMissed(tx: Queryable, check: MadeCheck): Promise<void> {
  const { monitor, result } = check;
  const { projectId, monitorId, checkedAt, intervalSec, dueAt } = monitor;
  if (checkedAt === null || result.at.getTime() - checkedAt.getTime() <= patienceMs(intervalSec)) {
    return;
  }
  const left = slotsBetween(monitor, checkedAt, result.at) - 1;
  if (dueAt >= check.dueAt || left < 1) return;
  const message = `Watchpost was not running, or was too busy: ${left} ${
    left === 1 ? "check was" : "checks were"
  } left out.`;
  await tx`
    insert into uptime_checks (
      project_id, monitor_id, due_at, checked_at, status, reason, message
    ) values (
      ${projectId}, ${monitorId}, ${dueAt}, ${result.at}, 'unknown', 'missed', ${message}
    ) on conflict do nothing
  `;
}

async function insertCheck(
  tx: Queryable,
  { monitor, dueAt, result, traceId, isCutOff, hide }: MadeCheck,
  { isMaintenance, incidentId }: {
    readonly isMaintenance: boolean;
    readonly incidentId: string | null;
  },
): Promise<void> {
  const { problem, phases } = result;
  await tx`
    insert into uptime_checks (
      project_id, monitor_id, due_at, checked_at, status, reason, message, http_status, total_ms,
      dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms, address, trace_id, is_maintenance,
      incident_id
    ) values (
      ${monitor.projectId}, ${monitor.monitorId}, ${dueAt}, ${result.at},
      ${isCutOff ? "unknown" : result.state}, ${problem?.kind ?? ""},
      ${problem === null ? "" : textOf(hide(problem.sentence))}, ${result.status},
      ${result.durationMs}, ${phases.dns}, ${phases.connect}, ${phases.tls}, ${phases.firstByte},
      ${phases.download}, ${result.address ?? ""}, ${traceId}::uuid, ${isMaintenance}, ${incidentId}
    ) on conflict do nothing
  `;
}

async function followIncident(
  tx: Queryable,
  check: MadeCheck,
  verdict: Verdict,
  incidentId: string | null,
  place: NoticePlace,
): Promise<Notice[]> {
  if (incidentId === null || verdict.incident === "none") return [];
  if (verdict.incident === "opens") return [await open(tx, check, verdict, incidentId, place)];
  const { monitor, result } = check;
  const incident = await currentIncident(tx, monitor.projectId, incidentId);
  if (incident === null) return [];
  if (verdict.incident === "closes") {
    await tx`
      update uptime_incidents set closed_at = ${verdict.since}
      where project_id = ${monitor.projectId} and incident_id = ${incidentId}
    `;
    return [recoveredNotice(monitor, incidentId, incident.openedAt, verdict.since, place)];
  }
  if (result.state !== "down") return [];
  const isMaintenance = windowAt(monitor.windows, result.at) !== null;
  const isReminded = !isMaintenance && reminderDue(incident, result.at);
  await tx`
    update uptime_incidents set last_seen = ${result.at}, checks = checks + 1
      ${isReminded ? tx`, reminders = reminders + 1, told_at = ${result.at}` : tx``}
    where project_id = ${monitor.projectId} and incident_id = ${incidentId}
  `;
  const sentence = check.hide(result.problem?.sentence ?? "");
  return isReminded
    ? [stillDownNotice(monitor, incidentId, incident.openedAt, sentence, result.at, place)]
    : [];
}

async function open(
  tx: Queryable,
  { monitor, result, endedAt, hide }: MadeCheck,
  { since, failures }: Verdict,
  incidentId: string,
  place: NoticePlace,
): Promise<Notice> {
  const { projectId, monitorId } = monitor;
  const problem = result.problem === null
    ? null
    : { ...result.problem, sentence: hide(result.problem.sentence) };
  const evidence: Evidence = evidenceOf(result, hide);
  await openIncident(tx, {
    projectId,
    incidentId,
    monitorId,
    openedAt: since,
    confirmedAt: endedAt,
    lastSeen: result.at,
    reason: problem?.kind ?? "",
    message: textOf(problem?.sentence ?? ""),
    checks: failures,
    toldAt: result.at,
  }, evidence);
  // The failures before were none of an incident yet.
  await tx`
    update uptime_checks set incident_id = ${incidentId}
    where project_id = ${projectId} and monitor_id = ${monitorId}
      and due_at >= ${new Date(since.getTime() - monitor.intervalSec * 1_000)}
      and checked_at >= ${since} and status = 'down'
  `;
  return openedNotice(monitor, incidentId, since, { ...result, problem }, failures, place);
}

/** Tells once a project that nothing can be reached from here, and once that it can. */
async function followNetwork(
  tx: Queryable,
  { monitor, result }: MadeCheck,
  verdict: Verdict,
  place: NoticePlace,
): Promise<void> {
  const { projectId, channelIds } = monitor;
  if (verdict.isCutOff) {
    const since = monitor.turningSince ?? result.at;
    const { count } = await tx`
      insert into uptime_cut_offs (project_id, since, channel_ids)
      values (${projectId}, ${since}, ${[...channelIds]}::uuid[]) on conflict do nothing
    `;
    if (count > 0) await enqueueNotice(tx, cutOffNotice(projectId, since, place), channelIds);
    return;
  }
  if (!monitor.isCutOff) return;
  const [over] = await tx<{ since: Date; channelIds: string[] }[]>`
    delete from uptime_cut_offs where project_id = ${projectId}
    returning since, channel_ids::text[] as "channelIds"
  `;
  if (over === undefined) return;
  await enqueueNotice(tx, backNotice(projectId, over.since, result.at, place), over.channelIds);
}

const MAX_MESSAGE = 1_000;

function textOf(sentence: string): string {
  return storable(sentence.slice(0, MAX_MESSAGE).toWellFormed());
}
