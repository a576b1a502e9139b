/** What channels hear of uptime monitors. */
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { Notice } from "../../alerts/mod.ts";
import { formatDateTime, formatDuration } from "../../ui/format.ts";
import { incidentPath, monitorPath, monitorsPath } from "../../ui/links.ts";
import type { ProbeResult } from "../probes/probe.ts";
import { daysUntil, type Monitor, type SeenCertificate, targetWords } from "./monitor.ts";
import { type Language, t } from "../../core/language/translate.ts";
import { inLanguage } from "../../core/request_scope.ts";
import { probeWords } from "../probes/problem_words.ts";

/** Where a notice is about. */
export interface NoticePlace {
  readonly projectName: string;
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string;
  /** What the project's channels are told in. */
  readonly language: Language;
}

type Told = Pick<Monitor, "projectId" | "monitorId" | "name" | "target">;

/** After so long channels are told again that something is still down: first after an hour, then daily. */
export function reminderDue(
  { reminders, toldAt, openedAt }: {
    readonly reminders: number;
    readonly toldAt: Date | null;
    readonly openedAt: Date;
  },
  now: Date,
): boolean {
  const since = (reminders === 0 ? openedAt : toldAt ?? openedAt).getTime();
  return now.getTime() - since >= (reminders === 0 ? HOUR_MS : DAY_MS);
}

/** That an incident has opened. */
export function openedNotice(
  monitor: Told,
  incidentId: string,
  openedAt: Date,
  result: Pick<ProbeResult, "problem" | "status" | "address" | "durationMs">,
  tries: number,
  place: NoticePlace,
): Notice {
  const { problem, status, address, durationMs } = result;
  return toldIn(place, () => ({
    ...frameOf(monitor, place, incidentId, openedAt),
    state: "firing",
    severity: "critical",
    title: t("{name} is down", { name: monitor.name }),
    text: `${problem === null ? t("The check failed.") : probeWords(problem.sentence)} ${
      t("One check failed.|{n} checks in a row failed.", { n: tries })
    }`,
    facts: [
      { label: t("Target"), value: targetWords(monitor.target) },
      { label: t("Down since"), value: formatDateTime(openedAt) },
      ...status === null ? [] : [{ label: t("Status"), value: String(status) }],
      ...address === null ? [] : [{ label: t("Address"), value: address }],
      { label: t("The last check took"), value: formatDuration(durationMs) },
    ],
  }));
}

/** That it is still down. */
export function stillDownNotice(
  monitor: Told,
  incidentId: string,
  openedAt: Date,
  sentence: string,
  now: Date,
  place: NoticePlace,
): Notice {
  const words = () => formatDuration(now.getTime() - openedAt.getTime());
  return toldIn(place, () => ({
    ...frameOf(monitor, place, incidentId, now),
    state: "firing",
    severity: "critical",
    title: t("{name} is still down, for {time}", { name: monitor.name, time: words() }),
    text: probeWords(sentence),
    facts: [
      { label: t("Target"), value: targetWords(monitor.target) },
      { label: t("Down since"), value: formatDateTime(openedAt) },
    ],
  }));
}

/** That an incident is over. */
export function recoveredNotice(
  monitor: Told,
  incidentId: string,
  openedAt: Date,
  closedAt: Date,
  place: NoticePlace,
): Notice {
  const words = () => formatDuration(closedAt.getTime() - openedAt.getTime());
  return toldIn(place, () => ({
    ...frameOf(monitor, place, incidentId, closedAt),
    state: "resolved",
    severity: "info",
    title: t("{name} is up again after {time}", { name: monitor.name, time: words() }),
    text: t("It was down for {time}, from {start} to {end}.", {
      time: words(),
      start: formatDateTime(openedAt),
      end: formatDateTime(closedAt),
    }),
    facts: [
      { label: t("Target"), value: targetWords(monitor.target) },
      { label: t("Down for"), value: words() },
    ],
  }));
}

/** That nobody looks any more at what was down. */
export function endedNotice(
  monitor: Told,
  incidentId: string,
  why: "paused" | "deleted",
  now: Date,
  place: NoticePlace,
): Notice {
  return toldIn(place, () => ({
    ...frameOf(monitor, place, incidentId, now),
    state: "resolved",
    severity: "info",
    title: t("{name} is no longer watched", { name: monitor.name }),
    text: why === "paused"
      ? t("The monitor was paused while it was down: how it is now is not known.")
      : t("The monitor was deleted while it was down: how it is now is not known."),
    facts: [{ label: t("Target"), value: targetWords(monitor.target) }],
  }));
}

/** That a certificate ends soon, or has ended. */
export function certificateNotice(
  monitor: Told,
  certificate: SeenCertificate,
  now: Date,
  place: NoticePlace,
): Notice {
  const { daysLeft, validTo, fingerprint } = certificate;
  const url = place.baseUrl + monitorPath(monitor.projectId, monitor.monitorId);
  const days = Math.max(0, daysLeft);
  return toldIn(place, () => ({
    ...frameOf(monitor, place, null, now),
    url,
    incidentKey: `${monitor.projectId}/uptime/${monitor.monitorId}/certificate/${fingerprint}`,
    state: "firing",
    severity: daysLeft <= 1 ? "critical" : "warning",
    title: daysLeft < 0
      ? t("The certificate of {name} has expired", { name: monitor.name })
      : t("The certificate of {name} ends in {n} day|The certificate of {name} ends in {n} days", {
        name: monitor.name,
        n: days,
      }),
    text: t("It is valid until {time}. Renew it before then.", {
      time: formatDateTime(new Date(validTo)),
    }),
    facts: [
      { label: t("Target"), value: targetWords(monitor.target) },
      { label: t("Certificate"), value: certificate.subject },
      { label: t("Issuer"), value: certificate.issuer },
      { label: t("Valid until"), value: formatDateTime(new Date(validTo)) },
    ],
  }));
}

/** That the registration of a domain ends soon, or has ended. */
export function domainNotice(
  monitor: Told & Pick<Monitor, "domain">,
  endsAt: Date,
  now: Date,
  place: NoticePlace,
): Notice {
  const { projectId, domain } = monitor;
  const daysLeft = daysUntil(endsAt, now);
  return toldIn(place, () => ({
    ...frameOf(monitor, place, null, now),
    incidentKey: `${projectId}/uptime/domain/${domain}/${endsAt.toISOString()}`,
    state: "firing",
    severity: daysLeft <= 1 ? "critical" : "warning",
    title: daysLeft < 0 ? t("The registration of {domain} has ended", { domain }) : t(
      "The registration of {domain} ends in {n} day|The registration of {domain} ends in {n} days",
      {
        domain,
        n: daysLeft,
      },
    ),
    text: t(
      "It is registered until {time}, as its registry says. Renew it before then, or see to it that your registrar does.",
      { time: formatDateTime(endsAt) },
    ),
    facts: [
      { label: t("Domain"), value: domain },
      { label: t("Target"), value: targetWords(monitor.target) },
      { label: t("Registered until"), value: formatDateTime(endsAt) },
    ],
  }));
}

/** That nothing can be reached from here; in place of a notice of each monitor. */
export function cutOffNotice(projectId: string, since: Date, place: NoticePlace): Notice {
  return toldIn(place, () => ({
    ...networkFrame(projectId, since, place),
    state: "no_data",
    severity: "critical",
    title: t("Watchpost has lost its network: monitors are not measured"),
    text: t(
      "Nothing that is watched can be reached from this server any more. That is more likely its own network than all of the sites, so there are no notifications of each.",
    ),
    facts: [{ label: t("Since"), value: formatDateTime(since) }],
  }));
}

/** That it is over. */
export function backNotice(projectId: string, since: Date, now: Date, place: NoticePlace): Notice {
  const words = () => formatDuration(now.getTime() - since.getTime());
  return toldIn(place, () => ({
    ...networkFrame(projectId, now, place),
    state: "resolved",
    severity: "info",
    title: t("Watchpost has its network again after {time}", { time: words() }),
    text: t("From {start} to {end} nothing was measured.", {
      start: formatDateTime(since),
      end: formatDateTime(now),
    }),
    facts: [{ label: t("Lasted"), value: words() }],
  }));
}

/** What is made of texts, in the language of the project's channels. */
function toldIn<T>({ language }: NoticePlace, make: () => T): T {
  return inLanguage({ language }, make);
}

function frameOf(
  { projectId, monitorId, name }: Told,
  { projectName, baseUrl }: NoticePlace,
  incidentId: string | null,
  occurredAt: Date,
) {
  const page = baseUrl + monitorPath(projectId, monitorId);
  return {
    projectId,
    projectName,
    url: incidentId === null ? page : baseUrl + incidentPath(projectId, monitorId, incidentId),
    ruleUrl: page,
    ruleName: name,
    incidentKey: `${projectId}/uptime/${incidentId ?? monitorId}`,
    occurredAt,
  };
}

function networkFrame(
  projectId: string,
  occurredAt: Date,
  { projectName, baseUrl }: NoticePlace,
) {
  const url = baseUrl + monitorsPath(projectId);
  return {
    projectId,
    projectName,
    url,
    ruleUrl: url,
    ruleName: t("Uptime monitors"),
    incidentKey: `${projectId}/uptime/network`,
    occurredAt,
  };
}

/**
 * The threshold that a certificate has crossed and channels have not heard of, or null. One that lives for days only
 * is no news before its last third.
 *
 * @returns days; -1 once it has expired
 */
export function certificateThreshold(
  { certificateDays, toldFingerprint, toldDays }: Pick<
    Monitor,
    "certificateDays" | "toldFingerprint" | "toldDays"
  >,
  { fingerprint, daysLeft, validFrom, validTo }: SeenCertificate,
): number | null {
  const lifetimeDays = (Date.parse(validTo) - Date.parse(validFrom)) / DAY_MS;
  if (daysLeft >= 0 && daysLeft > lifetimeDays / 3) return null;
  return thresholdOf(certificateDays, daysLeft, toldFingerprint === fingerprint ? toldDays : null);
}

/**
 * The threshold that an end has crossed and channels have not heard of, or null.
 *
 * @param thresholds days, the most first; none: nobody wants to hear of it
 * @param toldDays the last one that they heard of for this very end
 * @returns days; -1 once it is over
 */
export function thresholdOf(
  thresholds: readonly number[],
  daysLeft: number,
  toldDays: number | null,
): number | null {
  if (thresholds.length === 0) return null;
  const crossed = daysLeft < 0 ? -1 : thresholds.filter((days) => daysLeft <= days).at(-1) ?? null;
  return crossed === null || toldDays !== null && toldDays <= crossed ? null : crossed;
}
