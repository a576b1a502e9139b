import type { Project } from "../accounts/projects.ts";
import type { DashboardContent } from "./content.ts";
import type { Choices } from "./variables.ts";
import type { Shell } from "../ui/shell.ts";
import type { Tracing } from "../releases/load_tracing.ts";
import type { PanelData } from "./panels/panel_data.ts";
import { dashboardPath, readyPath, type Refresh, viewParams } from "./paths.ts";

/** A dashboard that people keep, or one that is ready-made. */
export type ShownDashboard =
  | {
    readonly kind: "kept";
    readonly id: string;
    readonly name: string;
    readonly version: number;
    readonly content: DashboardContent;
  }
  | {
    readonly kind: "ready";
    readonly id: string;
    readonly name: string;
    readonly content: DashboardContent;
  };

/** Everything that the page of a dashboard shows. */
export interface DashboardView {
  readonly shell: Shell;
  readonly project: Project;
  readonly tracing: Tracing;
  readonly dashboard: ShownDashboard;
  readonly choices: Choices;
  /** What there is to choose from, by label of a variable. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly refresh: Refresh | null;
  readonly isEditing: boolean;
  readonly mayEdit: boolean;
  /** By id of the panel. */
  readonly data: ReadonlyMap<string, PanelData>;
  /** The whole address of the page, to be shared. */
  readonly address: string;
}

/** Path of the page. */
export function pathOf(
  { project, dashboard }: Pick<DashboardView, "project" | "dashboard">,
): string {
  const path = dashboard.kind === "kept" ? dashboardPath : readyPath;
  return path(project.id, dashboard.id);
}

/** Parameters beside the scope, with some of them changed. */
export function keptBy(
  view: DashboardView,
  changes: Partial<Pick<DashboardView, "refresh" | "isEditing">> = {},
): Record<string, string> {
  return viewParams({ ...view, ...changes, variables: view.dashboard.content.variables });
}
