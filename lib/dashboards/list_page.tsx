import { t } from "../core/language/translate.ts";
import { findUser } from "../accounts/users.ts";
import type { PageScope } from "../releases/request_scope.ts";
import type { Sql } from "../store/database.ts";
import { LinkButton } from "../ui/components/button.tsx";
import { EmptyState, Panel } from "../ui/components/panel.tsx";
import { Cell, Row, Table } from "../ui/components/table.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import { NONE } from "../ui/format.ts";
import { sectionPath } from "../ui/links.ts";
import { scopedHref } from "../ui/scope.ts";
import type { Shell } from "../ui/shell.ts";
import { DashboardFrame, dashboardPath, readyPath } from "./dashboard_frame.tsx";
import { type DashboardSummary, listDashboards } from "./dashboards.ts";
import { knownMetrics, offered, wantedMetrics } from "./ready/make_ready.ts";

export interface DashboardListView extends DashboardList {
  readonly shell: Shell;
  readonly pageScope: PageScope;
  readonly mayEdit: boolean;
}

/** The dashboards of a project: those that people made, and those that are ready-made. */
export function DashboardListPage(view: DashboardListView) {
  const { shell, pageScope, mayEdit } = view;
  const { project, scope } = pageScope;
  const path = sectionPath(project.id, "dashboards");
  return (
    <DashboardFrame
      shell={shell}
      pageScope={pageScope}
      title={t("Dashboards")}
      crumbs={[]}
      path={path}
      actions={mayEdit && (
        <>
          <LinkButton href={scopedHref(`${path}/new`, scope, { from: "json" })}>
            {t("Import")}
          </LinkButton>
          <LinkButton kind="primary" icon="plus" href={scopedHref(`${path}/new`, scope)}>
            {t("New dashboard")}
          </LinkButton>
        </>
      )}
    >
      <div class="space-y-4">
        <Kept {...view} />
        <ReadyMade {...view} />
      </div>
    </DashboardFrame>
  );
}

function Kept({ dashboards, ready, pageScope: { project, scope }, mayEdit }: DashboardListView) {
  if (dashboards.length === 0) {
    return (
      <div class="rounded-lg border border-line bg-surface">
        <EmptyState
          icon="dashboards"
          title={t("No dashboards of your own yet")}
          actions={ready.length === 0 && (
            <LinkButton icon="setup" href={`${sectionPath(project.id, "setup")}?platform=metrics`}>
              {t("Send metrics")}
            </LinkButton>
          )}
        >
          {mayEdit
            ? t(
              "Put metrics, errors and transactions beside each other, or add what you find in the explorer of metrics.",
            )
            : t("Members of the organization can make them.")}{" "}
          {ready.length > 0 ? t("Those below are ready to be looked at.") : t(
            "Ready-made ones appear here when metrics of HTTP servers, Node.js, Go, the JVM or hosts arrive.",
          )}
        </EmptyState>
      </div>
    );
  }
  return (
    <Panel flush>
      <Table
        caption={t("Dashboards")}
        density="comfortable"
        columns={[
          { label: t("Name") },
          { label: t("Panels"), align: "right" },
          { label: t("Changed"), class: "max-sm:hidden" },
          { label: t("By"), class: "max-md:hidden" },
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

function ReadyMade({ ready, pageScope: { project, scope } }: DashboardListView) {
  if (ready.length === 0) return null;
  return (
    <Panel
      id="ready"
      title={t("Ready-made")}
      description={t(
        "Of metrics that arrive in this project. Look at them as they are, or save a copy to change.",
      )}
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
            <p class="text-meta text-muted">{t("{n} panel|{n} panels", { n: panels })}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface ListedDashboard extends DashboardSummary {
  /** Name of who changed it last; null for the instance's token and for those who left. */
  readonly updatedByName: string | null;
}

interface OfferedDashboard {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly panels: number;
}

export interface DashboardList {
  readonly dashboards: readonly ListedDashboard[];
  /** Ready-made ones of which the metrics have arrived. */
  readonly ready: readonly OfferedDashboard[];
}

/** The dashboards of a project, and those that are offered. */
export async function loadList(
  { kv, sql }: { readonly kv: Deno.Kv; readonly sql: Sql },
  projectId: string,
): Promise<DashboardList> {
  const [dashboards, known] = await Promise.all([
    listDashboards(sql, projectId),
    knownMetrics(sql, projectId, wantedMetrics()),
  ]);
  const names = await namesOf(kv, dashboards.map(({ updatedBy }) => updatedBy));
  return {
    dashboards: dashboards.map((dashboard) => ({
      ...dashboard,
      updatedByName: names.get(dashboard.updatedBy ?? "") ?? null,
    })),
    ready: offered(known).map(({ dashboard: { id, name, description }, panels }) => ({
      id,
      name: t(name),
      description: t(description),
      panels,
    })),
  };
}

/** Names of users by id; those who are gone are left out. */
async function namesOf(
  kv: Deno.Kv,
  userIds: readonly (string | null)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(userIds)].filter((id) => id !== null);
  const users = await Promise.all(ids.map((id) => findUser(kv, id)));
  return new Map(users.flatMap((user) => user === null ? [] : [[user.id, user.name]]));
}
