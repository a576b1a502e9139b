import DashboardLayout from "../../islands/DashboardLayout.tsx";
import DashboardRefresh from "../../islands/DashboardRefresh.tsx";
import { LinkButton } from "../ui/components/button.tsx";
import { EmptyState } from "../ui/components/empty_state.tsx";
import { PageHeader } from "../ui/components/page_header.tsx";
import { scopedHref } from "../ui/scope.ts";
import { sectionPath } from "../ui/links.ts";
import { NothingYet } from "./nothing_yet.tsx";
import { DashboardActions } from "./dashboard_actions.tsx";
import { DashboardFrame } from "./dashboard_frame.tsx";
import { type DashboardView, keptBy, pathOf } from "./dashboard_view.ts";
import { PanelCard } from "./panels/panel_card.tsx";
import { panelPath } from "./paths.ts";
import { VariableBar } from "./variable_bar.tsx";

/** One dashboard: its variables, and its panels on the grid. */
export function DashboardPage(view: DashboardView) {
  const { dashboard: { name, content, kind }, refresh, isEditing } = view;
  return (
    <DashboardFrame
      {...view}
      crumbs={[{ label: name }]}
      path={pathOf(view)}
      keep={keptBy(view)}
    >
      <PageHeader
        title={name}
        description={kind === "ready"
          ? "Ready-made from the metrics that arrive. Save a copy to change it."
          : content.description}
        actions={<DashboardActions {...view} />}
      />
      <VariableBar {...view} />
      {isEditing && <EditBar {...view} />}
      {content.panels.length === 0 ? <NoPanels {...view} /> : (
        <div class="dash-grid" data-dash-grid>
          {content.panels.map((panel) => <PanelCard key={panel.id} panel={panel} view={view} />)}
        </div>
      )}
      {refresh !== null && !isEditing && (
        <>
          <DashboardRefresh seconds={refresh} />
          <noscript>
            <meta http-equiv="refresh" content={String(refresh)} />
          </noscript>
        </>
      )}
    </DashboardFrame>
  );
}

/** What can be added, and how panels are moved. */
function EditBar(view: DashboardView) {
  const { project, tracing: { scope }, dashboard } = view;
  if (dashboard.kind !== "kept") return null;
  const add = (kind: string) =>
    scopedHref(panelPath(project.id, dashboard.id, "new"), scope, { kind });
  return (
    <div class="mb-4 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-canvas px-4 py-2">
      <span class="font-semibold">Add</span>
      <LinkButton size="sm" icon="metrics" href={add("metrics")}>Metrics</LinkButton>
      <LinkButton size="sm" icon="issues" href={add("errors")}>Errors</LinkButton>
      <LinkButton size="sm" icon="transactions" href={add("transactions")}>Transactions</LinkButton>
      <LinkButton size="sm" icon="logs" href={add("text")}>Text</LinkButton>
      <DashboardLayout
        savePath={`${pathOf(view)}/layout`}
        version={dashboard.version}
        panels={dashboard.content.panels.map(({ id, place }) => ({ id, place }))}
      />
    </div>
  );
}

function NoPanels(view: DashboardView) {
  const { project, tracing: { scope }, dashboard, mayEdit } = view;
  if (dashboard.kind === "ready") {
    return (
      <NothingYet title="Nothing of this has arrived">
        The metrics that this dashboard is made of have not arrived, or are no longer kept.{" "}
        <a class="link" href={`${sectionPath(project.id, "setup")}?platform=metrics`}>
          How to send them
        </a>
      </NothingYet>
    );
  }
  return (
    <div class="rounded-lg border border-line bg-surface">
      <EmptyState
        icon="dashboards"
        title="No panels yet"
        actions={mayEdit && (
          <>
            <LinkButton
              kind="primary"
              icon="plus"
              href={scopedHref(panelPath(project.id, dashboard.id, "new"), scope, {
                kind: "metrics",
              })}
            >
              Add a panel
            </LinkButton>
            <LinkButton href={scopedHref(`${sectionPath(project.id, "metrics")}/explore`, scope)}>
              Explore metrics
            </LinkButton>
          </>
        )}
      >
        Panels show metrics, errors, transactions or a text. What you find in the explorer can be
        added from there.
      </EmptyState>
    </div>
  );
}
