/** Whether a site can be reached: its uptime monitors, how they stand, and how long their certificates and domains hold. */
import { DAY_MS, HOUR_MS, type Interval } from "../core/time.ts";
import {
  daysUntil,
  listMonitors,
  type Monitor,
  patienceMs,
  type PeriodSum,
  readSums,
  SHOWN_STATES,
  type ShownState,
  shownState,
  totalOf,
  uptimeOf,
} from "../monitors/mod.ts";
import type { Sql } from "../store/database.ts";

/** A monitor as the page of a site shows it. */
export interface WatchedMonitor {
  readonly monitor: Monitor;
  /** `unknown` also when it was not checked when it should have been. */
  readonly state: ShownState;
  /** Of the last 24 hours, by hour. */
  readonly hours: readonly PeriodSum[];
  /** Share of the measured time in which it was up, 0 to 1; null when nothing was measured. */
  readonly lastDay: number | null;
  /** The same over the time of the page. */
  readonly share: number | null;
  /** Seconds in which it was down in the time of the page. */
  readonly downSec: number;
  readonly certificate: CertificateState | null;
}

/** A certificate as it was seen last, with what is left of it. */
export interface CertificateState {
  /** Whole days from now; negative once it is over. */
  readonly daysLeft: number;
  readonly validTo: Date;
  /** Why a browser would not trust it; null: it would. */
  readonly problem: string | null;
  /** From so many days on somebody should look at it. */
  readonly warnFrom: number;
}

/** Above this, days are added up in place of hours: whole UTC days, then. */
const LONGEST_BY_HOUR_MS = 2 * DAY_MS;

/**
 * Reads the uptime monitors of a project, those in trouble first.
 *
 * @param interval the time of the page; states, bars and certificates are those of now
 */
export async function loadUptime(
  sql: Sql,
  projectId: string,
  interval: Interval,
  now: Date,
): Promise<WatchedMonitor[]> {
  const isShort = interval.end.getTime() - interval.start.getTime() <= LONGEST_BY_HOUR_MS;
  const lastDay = { start: new Date(now.getTime() - DAY_MS + HOUR_MS), end: now };
  const [monitors, hours, sums] = await Promise.all([
    listMonitors(sql, projectId),
    readSums(sql, projectId, "hour", lastDay),
    readSums(sql, projectId, isShort ? "hour" : "day", interval),
  ]);
  return monitors.map((monitor): WatchedMonitor => {
    const ownHours = hours.get(monitor.monitorId) ?? [];
    const total = totalOf(sums.get(monitor.monitorId) ?? []);
    return {
      monitor,
      state: stateOf(monitor, now),
      hours: ownHours,
      lastDay: uptimeOf(totalOf(ownHours)),
      share: uptimeOf(total),
      downSec: total.downSec,
      certificate: certificateOf(monitor, now),
    };
  }).sort((a, b) => SHOWN_STATES.indexOf(a.state) - SHOWN_STATES.indexOf(b.state));
}

/** A check that should have been made long ago says nothing of now. */
function stateOf(monitor: Monitor, now: Date): ShownState {
  const state = shownState(monitor, now);
  const isLate = now.getTime() - monitor.dueAt.getTime() > patienceMs(monitor.intervalSec);
  return isLate && (state === "up" || state === "degraded") ? "unknown" : state;
}

function certificateOf(
  { certificate, certificateDays, isPaused }: Monitor,
  now: Date,
): CertificateState | null {
  if (certificate === null || isPaused) return null;
  const validTo = new Date(certificate.validTo);
  return {
    daysLeft: daysUntil(validTo, now),
    validTo,
    problem: certificate.problem,
    warnFrom: certificateDays[0] ?? 0,
  };
}

/** The certificate that needs somebody first: one that is not trusted, else the one that ends first. */
export function firstCertificate(
  monitors: readonly WatchedMonitor[],
): { readonly monitor: Monitor; readonly certificate: CertificateState } | null {
  const rank = ({ daysLeft, problem }: CertificateState) =>
    problem === null ? daysLeft : Math.min(daysLeft, 0) - 1;
  const found = monitors.flatMap(({ monitor, certificate }) =>
    certificate === null ? [] : [{ monitor, certificate }]
  );
  return found.sort((a, b) => rank(a.certificate) - rank(b.certificate))[0] ?? null;
}

/** The domain whose registration ends first, of those that are watched and known. */
export function firstDomain(
  monitors: readonly WatchedMonitor[],
  now: Date,
): { readonly monitor: Monitor; readonly daysLeft: number } | null {
  const found = monitors.flatMap(({ monitor }) =>
    monitor.isPaused || monitor.domainEndsAt === null
      ? []
      : [{ monitor, daysLeft: daysUntil(monitor.domainEndsAt, now) }]
  );
  return found.sort((a, b) => a.daysLeft - b.daysLeft)[0] ?? null;
}
