/** Results, sums and incidents of uptime monitors as lines, in the words of the API. */
import { z } from "zod";
import { HOUR_MS } from "../../core/time.ts";
import { asObject, type Raw, readCount } from "../../formats/fields.ts";
import type { PastCheck, PastHour, PastIncident } from "../../monitors/mod.ts";
import { amountOf, endTime, oneOf, pastTime, textOf, uuidOf } from "./values.ts";

export const UPTIME_CHECK = "uptime_check";
export const UPTIME_HOUR = "uptime_hour";
export const UPTIME_INCIDENT = "uptime_incident";

/** The same without what is empty: most of a result is. */
export function compact(line: object): object {
  const isEmpty = (value: unknown) => value === null || value === "" || value === false;
  return Object.fromEntries(Object.entries(line).filter(([, value]) => !isEmpty(value)));
}

const STATUSES = ["up", "degraded", "down", "unknown"] as const;
const MAX_REASON = 100;
const MAX_MESSAGE = 1_000;
const MAX_ADDRESS = 200;

/** Reads a result; null for none. */
export function checkOf(raw: Raw, monitorId: string, now: Date): PastCheck | null {
  const dueAt = pastTime(raw.dateDue, now);
  const status = oneOf(STATUSES, raw.status);
  if (dueAt === null || status === null) return null;
  const phases = asObject(raw.phases) ?? {};
  return {
    monitorId,
    dueAt,
    checkedAt: pastTime(raw.dateChecked, now) ?? dueAt,
    status,
    reason: textOf(raw.reason, MAX_REASON),
    message: textOf(raw.message, MAX_MESSAGE),
    httpStatus: amountOf(raw.httpStatus, 999) === null ? null : readCount(raw.httpStatus),
    totalMs: amountOf(raw.totalMs),
    dnsMs: amountOf(phases.dns),
    connectMs: amountOf(phases.connect),
    tlsMs: amountOf(phases.tls),
    firstByteMs: amountOf(phases.firstByte),
    downloadMs: amountOf(phases.download),
    address: textOf(raw.address, MAX_ADDRESS),
    traceId: uuidOf(raw.traceId),
    isMaintenance: raw.isMaintenance === true,
    incidentId: uuidOf(raw.incidentId),
  };
}

const HOUR_SEC = 3_600;
/** An hour has no more checks: one in twenty seconds, and some tries. */
const MAX_CHECKS = 3_600;

/** Reads the sums of an hour; null for none. */
export function hourOf(raw: Raw, monitorId: string, now: Date): PastHour | null {
  const start = pastTime(raw.start, now);
  if (start === null || start.getTime() % HOUR_MS !== 0) return null;
  const seconds = (value: unknown) => Math.min(amountOf(value) ?? 0, HOUR_SEC);
  const checks = Math.min(readCount(raw.checks), MAX_CHECKS);
  return {
    monitorId,
    start,
    upSec: seconds(raw.upSec),
    degradedSec: seconds(raw.degradedSec),
    downSec: seconds(raw.downSec),
    unknownSec: seconds(raw.unknownSec),
    maintenanceSec: seconds(raw.maintenanceSec),
    checks,
    failures: Math.min(readCount(raw.failures), checks),
    msSum: amountOf(raw.msSum) ?? 0,
  };
}

const ms = z.number().min(0).max(1e9);
const text = z.string().max(20_000);
const time = text.refine((value) => !Number.isNaN(Date.parse(value)));
const Evidence = z.object({
  status: z.int().min(0).max(999).nullable(),
  address: z.string().max(MAX_ADDRESS).nullable(),
  durationMs: ms,
  phases: z.object({
    dns: ms.nullable(),
    connect: ms.nullable(),
    tls: ms.nullable(),
    firstByte: ms.nullable(),
    download: ms.nullable(),
  }),
  headers: z.array(z.tuple([text, text])).max(100),
  body: text,
  redirects: z.array(text).max(100),
  certificate: z.object({
    subject: text,
    issuer: text,
    names: z.array(text).max(100),
    validFrom: time,
    validTo: time,
    daysLeft: z.int().min(-1e6).max(1e7),
    fingerprint: text,
    protocol: text,
    problem: text.nullable(),
  }).nullable(),
});

const MAX_COMMENTS = 200;
const MAX_COMMENT = 4_000;
const MAX_WRITER = 320;

/** Reads an incident; null for none. One that went on ended, for all that is known, when that was said. */
export function incidentOf(raw: Raw, monitorId: string, now: Date): PastIncident | null {
  const incidentId = uuidOf(raw.id);
  const openedAt = pastTime(raw.dateOpened, now);
  const evidence = Evidence.safeParse(raw.evidence);
  if (incidentId === null || openedAt === null || !evidence.success) return null;
  const closedAt = endTime(raw.dateClosed, raw.goesOnAt, openedAt, now);
  if (closedAt === null) return null;
  return {
    incidentId,
    monitorId,
    openedAt,
    confirmedAt: pastTime(raw.dateConfirmed, now) ?? openedAt,
    closedAt,
    lastSeen: pastTime(raw.dateLastSeen, now) ?? closedAt,
    reason: textOf(raw.reason, MAX_REASON),
    message: textOf(raw.message, MAX_MESSAGE),
    checks: readCount(raw.checks),
    comments: commentsOf(raw.comments, now),
    reminders: readCount(raw.reminders),
    toldAt: pastTime(raw.dateNotified, now),
    evidence: evidence.data,
  };
}

function commentsOf(value: unknown, now: Date): PastIncident["comments"] {
  const list: unknown[] = Array.isArray(value) ? value.slice(0, MAX_COMMENTS) : [];
  return list.flatMap((each) => {
    const comment = asObject(each) ?? {};
    const at = pastTime(comment.at, now);
    const said = textOf(comment.text, MAX_COMMENT);
    if (at === null || said === "") return [];
    return [{ at: at.toISOString(), by: textOf(comment.by, MAX_WRITER), text: said }];
  });
}
