import type { Project } from "../../accounts/projects.ts";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { EmptyState } from "../../ui/components/empty_state.tsx";
import { Page } from "../../ui/components/page.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { Tabs } from "../../ui/components/tabs.tsx";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { type AlertRow, AlertTable } from "./alert_table.tsx";
import { NoAlerts } from "./no_alerts.tsx";
import { alertsPath, newAlertPath } from "../../ui/paths.ts";
import { LIST_FILTERS, type ListFilter } from "../summary.ts";

export interface AlertListView {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly now: Date;
  /** Those that the filter and the search leave, the worst first. */
  readonly rows: readonly AlertRow[];
  /** Of each filter, whatever is searched. */
  readonly counts: Readonly<Record<ListFilter, number>>;
  readonly filter: ListFilter;
  readonly query: string;
}

const FILTER_LABELS: Readonly<Record<ListFilter, string>> = {
  all: "All",
  firing: "Firing",
  pending: "Pending",
  no_data: "No data",
  ok: "OK",
  muted: "Muted",
  off: "Off",
};

/** All alerts of a project. */
export function AlertListPage(view: AlertListView) {
  const { shell, project, mayWrite, counts } = view;
  return (
    <Page
      shell={shell}
      section="alerts"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: "Alerts" },
      ]}
    >
      <PageHeader
        title="Alerts"
        description="Numbers that are looked at twice a minute, and who is told when they cross a level."
        actions={mayWrite && counts.all > 0 && (
          <LinkButton kind="primary" icon="plus" href={newAlertPath(project.id)}>
            New alert
          </LinkButton>
        )}
      />
      {counts.all === 0
        ? (
          <div class="rounded-lg border border-line bg-surface">
            <NoAlerts projectId={project.id} mayWrite={mayWrite} />
          </div>
        )
        : <List {...view} />}
    </Page>
  );
}

function List(view: AlertListView) {
  const { project, rows, counts, filter, query, now } = view;
  const path = alertsPath(project.id);
  const shown = LIST_FILTERS.filter((each) =>
    each === "all" || each === filter || counts[each] > 0
  );
  return (
    <>
      <div class="mb-3 flex flex-wrap items-end justify-between gap-3">
        <Tabs
          label="States"
          tabs={shown.map((each) => ({
            href: listHref(path, each, query),
            label: FILTER_LABELS[each],
            isCurrent: each === filter,
            count: counts[each],
          }))}
        />
        <form method="get" action={path} role="search" class="flex gap-2">
          {filter !== "all" && <input type="hidden" name="status" value={filter} />}
          <input
            type="search"
            name="query"
            value={query}
            aria-label="Search alerts"
            placeholder="Name or measure"
            class="h-9 min-w-0 rounded-md border border-line-strong bg-surface px-2.5"
          />
          <Button icon="search">Search</Button>
        </form>
      </div>
      <div class="rounded-lg border border-line bg-surface">
        {rows.length === 0
          ? (
            <EmptyState
              icon="search"
              title="No alert matches"
              actions={<LinkButton href={path}>Show all alerts</LinkButton>}
            />
          )
          : <AlertTable rows={rows} now={now} />}
      </div>
    </>
  );
}

function listHref(path: string, filter: ListFilter, query: string): string {
  const params = new URLSearchParams();
  if (filter !== "all") params.set("status", filter);
  if (query !== "") params.set("query", query);
  return params.size === 0 ? path : `${path}?${params}`;
}
