/** Addresses of the dashboards. */
import { choiceParams, type Choices } from "./variables.ts";
import type { Variable } from "./content.ts";
import { sectionPath } from "../ui/links.ts";

/** Seconds between refreshes that can be chosen. */
export const REFRESHES = [30, 60, 300] as const;
export type Refresh = (typeof REFRESHES)[number];

/** Path of one dashboard. */
export function dashboardPath(projectId: string, dashboardId: string): string {
  return `${sectionPath(projectId, "dashboards")}/${encodeURIComponent(dashboardId)}`;
}

/** Path of a ready-made one. */
export function readyPath(projectId: string, readyId: string): string {
  return `${sectionPath(projectId, "dashboards")}/ready/${encodeURIComponent(readyId)}`;
}

/** Path of a panel's form; `new` for a panel that is not there yet. */
export function panelPath(projectId: string, dashboardId: string, panelId: string): string {
  return `${dashboardPath(projectId, dashboardId)}/panels/${encodeURIComponent(panelId)}`;
}

/** What a view of a dashboard adds to the scope. */
export interface ViewParams {
  readonly variables: readonly Variable[];
  readonly choices: Choices;
  readonly refresh: Refresh | null;
  readonly isEditing: boolean;
}

/** The parameters of a view beside its scope. */
export function viewParams(
  { variables, choices, refresh, isEditing }: ViewParams,
): Record<string, string> {
  return {
    ...choiceParams(variables, choices),
    ...refresh !== null && { refresh: String(refresh) },
    ...isEditing && { edit: "1" },
  };
}

/** How often an address wants to be refreshed; null for never. */
export function readRefresh(search: URLSearchParams): Refresh | null {
  return REFRESHES.find((seconds) => String(seconds) === search.get("refresh")) ?? null;
}
