import { t } from "../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import type { Project } from "../accounts/projects.ts";
import type { PageScope } from "../releases/request_scope.ts";
import { type Crumb, PageHeader } from "../ui/components/page.tsx";
import { sectionPath } from "../ui/links.ts";
import { scopedHref } from "../ui/scope.ts";
import { ScopedPage } from "../ui/scoped_page.tsx";
import type { Shell } from "../ui/shell.ts";
import { choiceParams, type Choices, type DashboardContent } from "./content.ts";
import type { PanelData } from "./panels/panel_data.ts";

interface DashboardFrameProps {
  readonly shell: Shell;
  readonly pageScope: PageScope;
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
  const { shell, pageScope, title, description, actions, children, ...frame } = props;
  const { crumbs = [{ label: title }] } = props;
  const { project, scope } = pageScope;
  const listHref = scopedHref(sectionPath(project.id, "dashboards"), scope);
  return (
    <ScopedPage
      {...frame}
      view={{ shell, ...pageScope }}
      section="dashboards"
      crumbs={[
        { label: project.name, href: scopedHref(sectionPath(project.id, "performance"), scope) },
        crumbs.length === 0
          ? { label: t("Dashboards") }
          : { label: t("Dashboards"), href: listHref },
        ...crumbs,
      ]}
    >
      <PageHeader title={title} description={description} actions={actions} />
      {children}
    </ScopedPage>
  );
}

/** A dashboard that people keep, or one that is ready-made. */
export type ShownDashboard =
  & { readonly id: string; readonly name: string; readonly content: DashboardContent }
  & ({ readonly kind: "kept"; readonly version: number } | { readonly kind: "ready" });

/** Everything that the page of a dashboard shows. */
export interface DashboardView {
  readonly shell: Shell;
  readonly project: Project;
  readonly pageScope: PageScope;
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
  const { dashboard, choices, refresh, isEditing } = { ...view, ...changes };
  return {
    ...choiceParams(dashboard.content.variables, choices),
    ...refresh !== null && { refresh: String(refresh) },
    ...isEditing && { edit: "1" },
  };
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

/** How often an address wants to be refreshed; null for never. */
export function readRefresh(search: URLSearchParams): Refresh | null {
  return REFRESHES.find((seconds) => String(seconds) === search.get("refresh")) ?? null;
}
