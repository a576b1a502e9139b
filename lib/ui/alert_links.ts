/** Addresses of the alert pages. */
import { sectionPath } from "./links.ts";

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

/** `/projects/<id>/settings/channels` */
export function channelsPath(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/channels`;
}

export function channelPath(projectId: string, channelId: string): string {
  return `${channelsPath(projectId)}/${encodeURIComponent(channelId)}`;
}
