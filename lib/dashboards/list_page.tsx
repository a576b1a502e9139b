import { LinkButton } from "../ui/components/button.tsx";
import { EmptyState } from "../ui/components/empty_state.tsx";
import { PageHeader } from "../ui/components/page_header.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../ui/components/table.tsx";
import { formatExactOf, NONE } from "../ui/format.ts";
import { scopedHref } from "../ui/scope.ts";
import { sectionPath } from "../ui/links.ts";
import type { Shell } from "../ui/shell.ts";
import type { Tracing } from "../releases/load_tracing.ts";
import { DashboardFrame } from "./dashboard_frame.tsx";
import { dashboardPath, readyPath } from "./paths.ts";
import type { DashboardList } from "./load_list.ts";

export interface DashboardListView extends DashboardList {
  readonly shell: Shell;
  readonly tracing: Tracing;
  readonly mayEdit: boolean;
}

/** The dashboards of a project: those that people made, and those that are ready-made. */
export function DashboardListPage(view: DashboardListView) {
  const { shell, tracing, mayEdit } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "dashboards");
  return (
    <DashboardFrame shell={shell} tracing={tracing} crumbs={[]} path={path}>
      <PageHeader
        title="Dashboards"
        actions={mayEdit && (
          <>
            <LinkButton href={scopedHref(`${path}/new`, scope, { from: "json" })}>
              Import
            </LinkButton>
            <LinkButton kind="primary" icon="plus" href={scopedHref(`${path}/new`, scope)}>
              New dashboard
            </LinkButton>
          </>
        )}
      />
      <div class="space-y-4">
        <Kept {...view} />
        <ReadyMade {...view} />
      </div>
    </DashboardFrame>
  );
}

function Kept({ dashboards, ready, tracing: { project, scope }, mayEdit }: DashboardListView) {
  if (dashboards.length === 0) {
    return (
      <div class="rounded-lg border border-line bg-surface">
        <EmptyState
          icon="dashboards"
          title="No dashboards of your own yet"
          actions={ready.length === 0 && (
            <LinkButton icon="setup" href={`${sectionPath(project.id, "setup")}?platform=metrics`}>
              Send metrics
            </LinkButton>
          )}
        >
          {mayEdit
            ? "Put metrics, errors and transactions beside each other, or add what you find in the explorer of metrics."
            : "Members of the organization can make them."}
          {ready.length > 0
            ? " Those below are ready to be looked at."
            : " Ready-made ones appear here when metrics of HTTP servers, Node.js, Go, the JVM or hosts arrive."}
        </EmptyState>
      </div>
    );
  }
  return (
    <Panel flush>
      <Table
        caption="Dashboards"
        density="comfortable"
        columns={[
          { label: "Name" },
          { label: "Panels", align: "right" },
          { label: "Changed", class: "max-sm:hidden" },
          { label: "By", class: "max-md:hidden" },
        ]}
      >
        {dashboards.map(({ dashboardId, name, panels, updatedAt, updatedByName }) => (
          <Row key={dashboardId}>
            <Cell class="w-full max-w-0 min-w-40">
              <a
                class="row-link block truncate font-medium"
                title={name}
                href={scopedHref(dashboardPath(project.id, dashboardId), scope)}
              >
                <bdi>{name}</bdi>
              </a>
            </Cell>
            <Cell align="right">{panels}</Cell>
            <Cell class="whitespace-nowrap text-muted max-sm:hidden">
              <RelativeTime date={updatedAt} />
            </Cell>
            <Cell class="max-w-48 truncate whitespace-nowrap text-muted max-md:hidden">
              {updatedByName === null ? NONE : <bdi>{updatedByName}</bdi>}
            </Cell>
          </Row>
        ))}
      </Table>
    </Panel>
  );
}

function ReadyMade({ ready, tracing: { project, scope } }: DashboardListView) {
  if (ready.length === 0) return null;
  return (
    <Panel
      id="ready"
      title="Ready-made"
      description="Of metrics that arrive in this project. Look at them as they are, or save a copy to change."
    >
      <ul class="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {ready.map(({ id, name, description, panels }) => (
          <li
            key={id}
            class="relative min-w-0 rounded-md border border-line px-3 py-2 hover:bg-hover"
          >
            <a
              class="row-link block font-medium text-accent"
              href={scopedHref(readyPath(project.id, id), scope)}
            >
              {name}
            </a>
            <p class="text-sm text-muted">{description}</p>
            <p class="text-meta text-muted">{formatExactOf(panels, "panels")}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
