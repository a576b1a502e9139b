/** What other rooms may use of monitors. */
export { probeWords } from "./probes/problem_words.ts";
export { readConfig } from "./cron/config.ts";
export { keepPastCronIncidents, type PastCronIncident } from "./cron/past_incidents.ts";
export { keepPastRuns, PAST_STATUSES, type PastRun } from "./cron/past_runs.ts";
export {
  checkName as checkCronName,
  checkSlug as checkCronSlug,
  createMonitor as createCronMonitor,
  listMonitors as listCronMonitors,
} from "./cron/monitors.ts";
export { checkMonitor, daysUntil, type Monitor, targetWords } from "./uptime/monitor.ts";
export { createMonitor, listMonitors } from "./uptime/monitors.ts";
export {
  keepPastChecks,
  keepPastHours,
  keepPastIncidents,
  type PastCheck,
  type PastHour,
  type PastIncident,
} from "./uptime/past.ts";
export { withoutSecrets } from "./uptime/secrets.ts";
export {
  SHOWN_STATES,
  type ShownState,
  shownState,
  StateBadge,
  UptimeBars,
} from "./uptime/pages/parts.tsx";
export { patienceMs } from "./uptime/slots.ts";
export { type PeriodSum, readSums, totalOf, uptimeOf, uptimeWords } from "./uptime/sums.ts";
