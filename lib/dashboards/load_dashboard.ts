import { metricsOf, readChoices } from "./variables.ts";
import { labelValues } from "../metrics/catalog.ts";
import type { Sql } from "../store/database.ts";
import type { DashboardContent } from "./content.ts";
import type { Shell } from "../ui/shell.ts";
import type { Tracing } from "../releases/load_tracing.ts";
import type { DashboardView, ShownDashboard } from "./dashboard_view.ts";
import { loadPanels, type PanelServices } from "./load_panels.ts";
import { readRefresh } from "./paths.ts";

/** Metrics whose values a variable offers; more would say the same. */
const METRICS_A_VARIABLE = 3;

export interface OpenedDashboard {
  readonly shell: Shell;
  readonly tracing: Tracing;
  readonly mayEdit: boolean;
  readonly dashboard: ShownDashboard;
  /** Of the page. */
  readonly url: URL;
  readonly baseUrl: string;
}

/** Reads what the page of a dashboard shows. */
export async function loadDashboard(
  services: PanelServices,
  { shell, tracing, mayEdit, dashboard, url, baseUrl }: OpenedDashboard,
): Promise<DashboardView> {
  const { project } = tracing;
  const { searchParams: search } = url;
  const { content } = dashboard;
  const choices = readChoices(content.variables, search);
  const [values, data] = await Promise.all([
    valuesOf(services.sql, project.id, content),
    loadPanels(services, tracing, content, choices),
  ]);
  return {
    shell,
    project,
    tracing,
    dashboard,
    choices,
    values,
    refresh: readRefresh(search),
    isEditing: mayEdit && dashboard.kind === "kept" && search.get("edit") === "1",
    mayEdit,
    data,
    address: addressOf(url, baseUrl),
  };
}

/** What there is to choose from for each variable, by its label. */
async function valuesOf(
  sql: Sql,
  projectId: string,
  content: DashboardContent,
): Promise<Map<string, string[]>> {
  return new Map(
    await Promise.all(content.variables.map(async ({ label }): Promise<[string, string[]]> => {
      const metrics = metricsOf(content, label).slice(0, METRICS_A_VARIABLE);
      const found = await Promise.all(
        metrics.map((metric) => labelValues(sql, projectId, metric, label, "")),
      );
      return [label, [...new Set(found.flat())].sort()];
    })),
  );
}

/** The address without what is only about this window. */
function addressOf(url: URL, baseUrl: string): string {
  const search = new URLSearchParams(url.searchParams);
  search.delete("edit");
  const query = search.size === 0 ? "" : `?${search}`;
  return new URL(url.pathname + query, baseUrl).href;
}
