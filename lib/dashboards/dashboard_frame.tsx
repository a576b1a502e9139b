import type { ComponentChildren } from "preact";
import type { Project } from "../accounts/projects.ts";
import type { Tracing } from "../releases/request_scope.ts";
import { type Crumb, Page, PageHeader } from "../ui/components/page.tsx";
import { sectionPath } from "../ui/links.ts";
import { ScopePickers } from "../ui/scope_pickers.tsx";
import { scopedHref } from "../ui/scope.ts";
import type { Shell } from "../ui/shell.ts";
import { choiceParams, type Choices, type DashboardContent, type Variable } from "./content.ts";
import type { PanelData } from "./panels/panel_data.ts";

interface DashboardFrameProps {
  readonly shell: Shell;
  readonly tracing: Tracing;
  readonly title: string;
  readonly description?: string;
  readonly actions?: ComponentChildren;
  /** Below the list of dashboards. @default the title */
  readonly crumbs?: readonly Crumb[];
  /** Of the page, to which its pickers lead; forms have none. */
  readonly path?: string;
  /** Parameters that a change of scope keeps. */
  readonly keep?: Readonly<Record<string, string>>;
  /** @default "full" */
  readonly width?: "full" | "narrow";
  readonly children: ComponentChildren;
}

/** The frame of all pages of dashboards, with their heading. */
export function DashboardFrame(props: DashboardFrameProps) {
  const { shell, tracing, title, description, actions } = props;
  const { crumbs = [{ label: title }], path, keep = {}, width = "full" } = props;
  const { project, scope, environments, releases, services } = tracing;
  const listHref = scopedHref(sectionPath(project.id, "dashboards"), scope);
  return (
    <Page
      shell={shell}
      section="dashboards"
      width={width}
      crumbs={[
        { label: project.name, href: scopedHref(sectionPath(project.id, "performance"), scope) },
        crumbs.length === 0 ? { label: "Dashboards" } : { label: "Dashboards", href: listHref },
        ...crumbs,
      ]}
      scopeSearch={scopedHref("", scope)}
      scope={path !== undefined && (
        <ScopePickers
          scope={scope}
          path={path}
          keep={keep}
          environments={environments}
          releases={releases}
          services={services}
        />
      )}
    >
      <PageHeader title={title} description={description} actions={actions} />
      {props.children}
    </Page>
  );
}

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
interface ViewParams {
  readonly variables: readonly Variable[];
  readonly choices: Choices;
  readonly refresh: Refresh | null;
  readonly isEditing: boolean;
}

/** The parameters of a view beside its scope. */
function viewParams(
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
