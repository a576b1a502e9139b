import { toDocument } from "./document.ts";
import type { Dashboard, DashboardSummary } from "./dashboards.ts";

/** A dashboard in a list. */
export function summaryJson(
  { dashboardId, name, panels, updatedAt, updatedBy }: DashboardSummary,
) {
  return {
    id: dashboardId,
    title: name,
    panelCount: panels,
    dateUpdated: updatedAt.toISOString(),
    updatedBy,
  };
}

/** A dashboard with the document that an export of it has. */
export function dashboardJson(dashboard: Dashboard) {
  const { dashboardId, name, version, createdAt, updatedAt, updatedBy } = dashboard;
  return {
    id: dashboardId,
    title: name,
    version,
    dateCreated: createdAt.toISOString(),
    dateUpdated: updatedAt.toISOString(),
    updatedBy,
    dashboard: toDocument(dashboard),
  };
}
