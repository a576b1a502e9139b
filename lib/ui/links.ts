/** The addresses of all pages: sections of a project, and what lies below them. */
import { type Message, message } from "../core/language/translate.ts";
import type { IconName } from "./components/icon.tsx";
import { EVERYTHING, type ExtraParams, type Scope, scopedHref, scopeParams } from "./scope.ts";

export { paramsOf } from "./scope.ts";

export type SectionId =
  | "issues"
  | "performance"
  | "transactions"
  | "endpoints"
  | "queries"
  | "site"
  | "web-vitals"
  | "traces"
  | "metrics"
  | "dashboards"
  | "profiling"
  | "logs"
  | "releases"
  | "alerts"
  | "monitors"
  | "feedback"
  | "setup"
  | "settings";

export interface Section {
  readonly id: SectionId;
  readonly label: Message;
  readonly icon: IconName;
  /** `main` sections obey the scope (environment, release, time); the rest stand at the foot. */
  readonly place: "main" | "foot";
}

/** In the order of the rail. A section is listed once its page exists. */
export const SECTIONS: readonly Section[] = [
  { id: "issues", label: message("Issues"), icon: "issues", place: "main" },
  { id: "performance", label: message("Performance"), icon: "performance", place: "main" },
  { id: "transactions", label: message("Transactions"), icon: "transactions", place: "main" },
  { id: "endpoints", label: message("Endpoints"), icon: "endpoints", place: "main" },
  { id: "queries", label: message("Queries & calls"), icon: "queries", place: "main" },
  { id: "site", label: message("Site"), icon: "site", place: "main" },
  { id: "web-vitals", label: message("Web Vitals"), icon: "vitals", place: "main" },
  { id: "traces", label: message("Traces"), icon: "traces", place: "main" },
  { id: "metrics", label: message("Metrics"), icon: "metrics", place: "main" },
  { id: "dashboards", label: message("Dashboards"), icon: "dashboards", place: "main" },
  { id: "profiling", label: message("Profiling"), icon: "profiling", place: "main" },
  { id: "logs", label: message("Logs"), icon: "logs", place: "main" },
  { id: "releases", label: message("Releases"), icon: "releases", place: "main" },
  { id: "alerts", label: message("Alerts"), icon: "alerts", place: "main" },
  { id: "monitors", label: message("Monitors"), icon: "monitors", place: "main" },
  { id: "feedback", label: message("Feedback"), icon: "feedback", place: "main" },
  { id: "setup", label: message("Setup"), icon: "setup", place: "foot" },
  { id: "settings", label: message("Settings"), icon: "settings", place: "foot" },
];

/** Path of a section in a project. */
export function sectionPath(projectId: string, section: SectionId): string {
  return `/projects/${encodeURIComponent(projectId)}/${section}`;
}

/** Pairs of a query, in their order; names may come again and again. */
export type Params = readonly (readonly [name: string, value: string])[];

/** The pairs of all other names. */
export function without(params: Params, ...names: readonly string[]): Params {
  return params.filter(([name]) => !names.includes(name));
}

/** Address with a query; names may come again and again. */
export function queryHref(path: string, params: Params): string {
  return params.length === 0
    ? path
    : `${path}?${new URLSearchParams(params.map((pair) => [...pair]))}`;
}

/**
 * A page of the section on profiles.
 *
 * @param page below the section, as `/compare`; `""` for the section itself
 */
export function profilingHref(
  projectId: string,
  page: string,
  scope: Scope,
  params: Params = [],
): string {
  return queryHref(sectionPath(projectId, "profiling") + page, [...scopeParams(scope), ...params]);
}

/**
 * The page of one profile.
 *
 * @param profileId 32 hex digits
 */
export function profileHref(projectId: string, profileId: string, params: Params = []): string {
  return queryHref(`${sectionPath(projectId, "profiling")}/${profileId}`, params);
}

/** `/projects/7/issues` */
export function issuesPath(projectId: string): string {
  return sectionPath(projectId, "issues");
}

/** `/projects/7/issues/12`: the issue with its newest event. */
export function issuePath(projectId: string, issueId: string): string {
  return `${issuesPath(projectId)}/${encodeURIComponent(issueId)}`;
}

/** `/projects/7/issues/12/events`: all events of the issue. */
export function eventsPath(projectId: string, issueId: string): string {
  return `${issuePath(projectId, issueId)}/events`;
}

/** The issue with one of its events; `latest` and `oldest` work as ids too. */
export function eventPath(projectId: string, issueId: string, eventId: string): string {
  return `${eventsPath(projectId, issueId)}/${encodeURIComponent(eventId)}`;
}

/** The stored event as it is. */
export function eventJsonPath(projectId: string, issueId: string, eventId: string): string {
  return `${eventPath(projectId, issueId, eventId)}/json`;
}

/** What to do for data to come, opened at one platform. */
export function setupPath(projectId: string, platform: string): string {
  return queryHref(sectionPath(projectId, "setup"), [["platform", platform]]);
}

/** The page of all transactions of one name. */
export function transactionHref(
  projectId: string,
  scope: Scope,
  name: string,
  extra: ExtraParams = {},
): string {
  const path = `${sectionPath(projectId, "transactions")}/summary`;
  return scopedHref(path, scope, { name, ...extra });
}

/**
 * The page of a trace, with one of its spans opened. A trace is shown whole whatever the scope, which it carries on to
 * where its reader goes next.
 */
export function traceHref(
  projectId: string,
  traceId: string,
  spanId: string | null = null,
  scope: Scope = EVERYTHING,
): string {
  return scopedHref(tracePath(projectId, traceId), scope, { span: spanId });
}

/** `/projects/7/traces/5f2a…` */
export function tracePath(projectId: string, traceId: string): string {
  return `${sectionPath(projectId, "traces")}/${encodeURIComponent(traceId)}`;
}

/** The whole trace as JSON, as the waterfall reads it. */
export function traceDataPath(projectId: string, traceId: string): string {
  return `${tracePath(projectId, traceId)}/data`;
}

/** One span with all its attributes as JSON. */
export function spanDataPath(projectId: string, traceId: string, spanId: string): string {
  return `${tracePath(projectId, traceId)}/spans/${encodeURIComponent(spanId)}`;
}

/** The page of one endpoint, named by its key as `GET /users/{}`. */
export function endpointHref(projectId: string, scope: Scope, endpoint: string): string {
  return scopedHref(endpointPath(projectId), scope, { endpoint });
}

/** The same without its endpoint. */
export function endpointPath(projectId: string): string {
  return `${sectionPath(projectId, "endpoints")}/detail`;
}

/** The page of one group of spans, such as a statement. */
export function queryGroupHref(
  projectId: string,
  scope: Scope,
  { category, group }: { readonly category: string; readonly group: string },
): string {
  return scopedHref(queryPath(projectId), scope, { category, group });
}

/** The same without its group. */
export function queryPath(projectId: string): string {
  return `${sectionPath(projectId, "queries")}/detail`;
}

/** The page of one release, by its name. */
export function releaseHref(projectId: string, scope: Scope, version: string): string {
  // The page looks at one release whatever the scope says.
  return scopedHref(releasePath(projectId), { ...scope, releases: [] }, { version });
}

/** The same without its name. */
export function releasePath(projectId: string): string {
  return `${sectionPath(projectId, "releases")}/detail`;
}

/** Two releases beside each other: `base` and `version`. */
export function compareReleasesPath(projectId: string): string {
  return `${sectionPath(projectId, "releases")}/compare`;
}

/** Path of the page that shows the vitals of one page. */
export function pageVitalsPath(projectId: string): string {
  return `${sectionPath(projectId, "web-vitals")}/page`;
}

/** Where the vitals of one page are shown. */
export function pageVitalsHref(
  projectId: string,
  scope: Scope,
  name: string,
  extra: ExtraParams = {},
): string {
  return scopedHref(pageVitalsPath(projectId), scope, { name, ...extra });
}

export function alertsPath(projectId: string): string {
  return sectionPath(projectId, "alerts");
}

export function alertPath(projectId: string, ruleId: string): string {
  return `${alertsPath(projectId)}/${encodeURIComponent(ruleId)}`;
}

export function editAlertPath(projectId: string, ruleId: string): string {
  return `${alertPath(projectId, ruleId)}/edit`;
}

/** The form for a new alert, filled in by `params`: the fields of the form, or an exploration of metrics. */
export function newAlertPath(projectId: string, params: URLSearchParams | null = null): string {
  const path = `${alertsPath(projectId)}/new`;
  return params === null || params.size === 0 ? path : `${path}?${params}`;
}

/** Where tokens of an organization are made. @param organization its slug */
export function tokensPath(organization: string): string {
  return `/organizations/${encodeURIComponent(organization)}/settings/tokens`;
}

/** `/projects/<id>/settings/source-maps`; uploads lie below it. */
export function sourceMapsPath(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/source-maps`;
}

/** `/projects/<id>/settings/channels` */
export function channelsPath(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/channels`;
}

export function channelPath(projectId: string, channelId: string): string {
  return `${channelsPath(projectId)}/${encodeURIComponent(channelId)}`;
}

/** `/projects/<id>/settings/trackers` */
export function trackersPath(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/trackers`;
}

export function trackerPath(projectId: string, connectionId: string): string {
  return `${trackersPath(projectId)}/${encodeURIComponent(connectionId)}`;
}

/** `/projects/<id>/settings/code`: where the files of stack frames come from. */
export function codePath(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/code`;
}

/** `/projects/<id>/settings/ownership`: who owns what. */
export function ownershipPath(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/ownership`;
}

/** `/projects/<id>/monitors`: what is watched from outside. */
export function monitorsPath(projectId: string): string {
  return sectionPath(projectId, "monitors");
}

/** `/projects/<id>/monitors/crons`: jobs that report themselves. */
export function cronsPath(projectId: string): string {
  return `${monitorsPath(projectId)}/crons`;
}

export function newCronPath(projectId: string): string {
  return `${cronsPath(projectId)}/new`;
}

/** The page of one cron job, named by its slug or its id. */
export function cronPath(projectId: string, slug: string): string {
  return `${cronsPath(projectId)}/${encodeURIComponent(slug)}`;
}

export function editCronPath(projectId: string, slug: string): string {
  return `${cronPath(projectId, slug)}/edit`;
}

/** `/projects/<id>/monitors/new`: the form of an uptime monitor, filled in with the address that it shall check. */
export function newMonitorPath(projectId: string, url: string | null = null): string {
  return queryHref(`${monitorsPath(projectId)}/new`, url === null ? [] : [["url", url]]);
}

/** `/projects/<id>/monitors/<monitor>`: one uptime monitor. */
export function monitorPath(projectId: string, monitorId: string): string {
  return `${monitorsPath(projectId)}/${encodeURIComponent(monitorId)}`;
}

export function editMonitorPath(projectId: string, monitorId: string): string {
  return `${monitorPath(projectId, monitorId)}/edit`;
}

/** One time in which an uptime monitor was down. */
export function incidentPath(projectId: string, monitorId: string, incidentId: string): string {
  return `${monitorPath(projectId, monitorId)}/incidents/${encodeURIComponent(incidentId)}`;
}
