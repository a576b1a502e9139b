/** What other rooms may use of monitors. */
export { daysUntil, type Monitor, targetWords } from "./uptime/monitor.ts";
export { listMonitors } from "./uptime/monitors.ts";
export {
  SHOWN_STATES,
  type ShownState,
  shownState,
  StateBadge,
  UptimeBars,
} from "./uptime/pages/parts.tsx";
export { patienceMs } from "./uptime/slots.ts";
export { type PeriodSum, readSums, totalOf, uptimeOf, uptimeWords } from "./uptime/sums.ts";
