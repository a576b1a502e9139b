/** Uptime monitors as the API takes and shows them. */
import { z } from "zod";
import { requireProject } from "../../api/access.ts";
import { ApiError, behind, notFound } from "../../api/route.ts";
import type { Check } from "./checks.ts";
import type { Evidence, Incident } from "./incidents.ts";
import {
  checkMonitor,
  daysUntil,
  INTERVAL_SEC,
  type Monitor,
  type MonitorInput,
  TRIES,
} from "./monitor.ts";
import { findMonitor } from "./monitors.ts";

const time = z.iso.datetime();

export const MonitorJson = z.object({
  id: z.string(),
  name: z.string(),
  target: z.looseObject({ kind: z.string() }).describe("Secrets are asterisks"),
  intervalSec: z.int(),
  failureThreshold: z.int(),
  recoveryThreshold: z.int(),
  certificateDays: z.array(z.int()),
  windows: z.array(z.looseObject({ kind: z.string() })),
  channelIds: z.array(z.string()),
  isPaused: z.boolean(),
  state: z.enum(["unknown", "up", "degraded", "down"]),
  since: time,
  lastError: z.string(),
  lastMs: z.number().nullable(),
  certificate: z.looseObject({ daysLeft: z.int(), fingerprint: z.string() }).nullable(),
  domain: z.object({ name: z.string(), dateEnds: time, daysLeft: z.int() }).nullable()
    .describe("When the registration of its domain ends, as the registry says"),
  incidentId: z.string().nullable(),
  dateChecked: time.nullable(),
  dateDue: time,
  dateCreated: time,
  dateUpdated: time,
  updatedBy: z.string(),
}).meta({ title: "Uptime monitor" });
export const CheckJson = z.object({
  dateDue: time,
  dateChecked: time,
  status: z.enum(["unknown", "up", "degraded", "down"]),
  reason: z.string(),
  message: z.string(),
  httpStatus: z.int().nullable(),
  totalMs: z.number().nullable(),
  phases: z.record(z.string(), z.number().nullable()),
  address: z.string(),
  traceId: z.string().nullable(),
  isMaintenance: z.boolean(),
  incidentId: z.string().nullable(),
}).meta({ title: "Check" });
const CommentJson = z.object({ at: time, by: z.string(), text: z.string() });
export const IncidentJson = z.object({
  id: z.string(),
  monitorId: z.string(),
  dateOpened: time,
  dateConfirmed: time,
  dateClosed: time.nullable(),
  reason: z.string(),
  message: z.string(),
  checks: z.int(),
  comments: z.array(CommentJson),
}).meta({ title: "Incident" });
export const WholeIncidentJson = IncidentJson.extend({
  evidence: z.looseObject({ status: z.int().nullable(), body: z.string() }),
});

/** `checkMonitor()` looks into it. */
export const MonitorBody = z.looseObject({
  name: z.string().optional(),
  target: z.looseObject({}).optional()
    .describe("A target of one kind, as an answer has it; named, it is replaced as a whole"),
  intervalSec: z.number().optional().describe(`${INTERVAL_SEC.min} to ${INTERVAL_SEC.max}`),
  failureThreshold: z.number().optional().describe(`${TRIES.min} to ${TRIES.max}`),
  channelIds: z.array(z.string()).optional(),
}).describe("A monitor, as an answer has it; what is absent stays as it is, or has its default");

export const CommentBody = z.object({
  text: z.string().trim().min(1, "Write something.").max(4_000, "Write at most 4000 characters."),
});

/** Methods about the monitor in the address. */
export const onMonitor = behind(async (ctx, scope) => {
  const { project } = await requireProject(ctx, scope);
  const monitor = await findMonitor(ctx.state.services.sql, project.id, ctx.params.uptime ?? "");
  if (monitor === null) throw notFound();
  return { project, monitor };
});

/**
 * Reads a monitor out of a body.
 *
 * @param former what holds where the body says nothing; null: it must say everything that has no default
 * @throws {ApiError} 400 that names each wrong field by its path
 */
export function readMonitor(
  body: z.output<typeof MonitorBody>,
  former: Monitor | null,
): MonitorInput {
  const kept = former === null ? {} : {
    name: former.name,
    target: former.target,
    intervalSec: former.intervalSec,
    failureThreshold: former.failureThreshold,
    recoveryThreshold: former.recoveryThreshold,
    certificateDays: former.certificateDays,
    windows: former.windows,
    channelIds: former.channelIds,
    isPaused: former.isPaused,
  };
  const checked = checkMonitor({ ...kept, ...body });
  if (checked.ok) return checked.input;
  const problems: Record<string, string[]> = {};
  for (const { field, message } of checked.problems) {
    (problems[field === "" ? "non_field_errors" : field] ??= []).push(message);
  }
  throw ApiError.fields(problems);
}

/** A monitor as the API shows it. @throws {ApiError} 404 when somebody deleted it a moment ago */
export function monitorJson(monitor: Monitor | null): z.input<typeof MonitorJson> {
  if (monitor === null) throw notFound();
  return {
    id: monitor.monitorId,
    name: monitor.name,
    target: { ...monitor.target },
    intervalSec: monitor.intervalSec,
    failureThreshold: monitor.failureThreshold,
    recoveryThreshold: monitor.recoveryThreshold,
    certificateDays: [...monitor.certificateDays],
    windows: monitor.windows.map((window) => ({ ...window })),
    channelIds: [...monitor.channelIds],
    isPaused: monitor.isPaused,
    state: monitor.state,
    since: iso(monitor.since),
    lastError: monitor.lastError,
    lastMs: monitor.lastMs,
    certificate: monitor.certificate === null ? null : { ...monitor.certificate },
    domain: monitor.domainEndsAt === null ? null : {
      name: monitor.domain,
      dateEnds: iso(monitor.domainEndsAt),
      daysLeft: daysUntil(monitor.domainEndsAt, new Date()),
    },
    incidentId: monitor.incidentId,
    dateChecked: isoOrNull(monitor.checkedAt),
    dateDue: iso(monitor.dueAt),
    dateCreated: iso(monitor.createdAt),
    dateUpdated: iso(monitor.updatedAt),
    updatedBy: monitor.updatedBy,
  };
}

export function checkJson(check: Check): z.input<typeof CheckJson> {
  const { dueAt, checkedAt, dnsMs, connectMs, tlsMs, firstByteMs, downloadMs, ...rest } = check;
  return {
    ...rest,
    dateDue: iso(dueAt),
    dateChecked: iso(checkedAt),
    phases: {
      dns: dnsMs,
      connect: connectMs,
      tls: tlsMs,
      firstByte: firstByteMs,
      download: downloadMs,
    },
  };
}

export function incidentJson(incident: Incident): z.input<typeof IncidentJson> {
  return {
    id: incident.incidentId,
    monitorId: incident.monitorId,
    dateOpened: iso(incident.openedAt),
    dateConfirmed: iso(incident.confirmedAt),
    dateClosed: isoOrNull(incident.closedAt),
    reason: incident.reason,
    message: incident.message,
    checks: incident.checks,
    comments: [...incident.comments],
  };
}

export function wholeIncidentJson(
  incident: Incident & { readonly evidence: Evidence },
): z.input<typeof WholeIncidentJson> {
  return { ...incidentJson(incident), evidence: { ...incident.evidence } };
}

function iso(date: Date): string {
  return date.toISOString();
}

function isoOrNull(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
