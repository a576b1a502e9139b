/** Incidents of cron jobs as lines, in the words of Sentry. */
import { type Raw, readCount } from "../../formats/fields.ts";
import type { PastCronIncident } from "../../monitors/mod.ts";
import { nameOf } from "../../store/values.ts";
import { endTime, pastTime, textOf, uuidOf } from "./values.ts";

export const CRON_INCIDENT = "monitor_incident";

/**
 * Reads an incident; null for none. One that went on ended, for all that is known, when that was said.
 *
 * @param issueId of this project
 */
export function cronIncidentOf(
  raw: Raw,
  slug: string,
  issueId: string | null,
  now: Date,
): PastCronIncident | null {
  const incidentId = uuidOf(raw.id);
  const startedAt = pastTime(raw.startingTimestamp, now);
  if (incidentId === null || startedAt === null) return null;
  const resolvedAt = endTime(raw.resolvingTimestamp, raw.goesOnAt, startedAt, now);
  if (resolvedAt === null) return null;
  return {
    incidentId,
    slug,
    environment: nameOf(textOf(raw.environment, Infinity)),
    startedAt,
    resolvedAt,
    failures: readCount(raw.failures),
    issueId,
  };
}
