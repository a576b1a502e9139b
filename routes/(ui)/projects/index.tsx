import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import {
  listProjectsSeenBy,
  listVisibleOrganizations,
  requireUser,
} from "@/lib/accounts/authorize.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { projectSparklines } from "@/lib/errors/issue_counts.ts";
import { Alert, EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { Cell, Row, Table } from "@/lib/ui/components/table.tsx";
import { Count } from "@/lib/ui/components/values.tsx";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { Page, PageHeader } from "@/lib/ui/components/page.tsx";
import { Sparkline } from "@/lib/ui/charts/bar_chart.tsx";
import { NONE } from "@/lib/ui/format.ts";
import { platformOf, PlatformTile } from "@/lib/projects/platforms.tsx";
import { sectionPath } from "@/lib/ui/links.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { offersNewProject, type Shell } from "@/lib/ui/shell.ts";
import { define, type State } from "@/lib/server/define.ts";

interface ProjectRow extends Project {
  readonly organization: string;
  /** Errors per hour over the last day, oldest first; null when Postgres did not answer. */
  readonly hourly: readonly number[] | null;
}

interface ProjectsData {
  readonly shell: Shell;
  readonly rows: readonly ProjectRow[];
  /** How many there are without the search. */
  readonly total: number;
  readonly search: string;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, rows, total, search } = data;
  return (
    <Page shell={shell} crumbs={[{ label: t("Projects") }]}>
      <PageHeader
        title={t("Projects")}
        actions={
          <>
            {total > 0 && <SearchForm search={search} />}
            {offersNewProject(shell) && <NewProject />}
          </>
        }
      />
      {rows.some(({ hourly }) => hourly === null) && (
        <Alert kind="warning" title={t("Counts are missing")} class="mb-4">
          {t("The database does not respond right now. Projects, keys and settings still work.")}
          {" "}
          <a href="/projects" class="link">{t("Try again")}</a>
        </Alert>
      )}
      <Panel flush>
        {rows.length > 0
          ? <ProjectTable rows={rows} showsOrganization={shell.organizations.length > 1} />
          : <NoProjects total={total} search={search} shell={shell} />}
      </Panel>
    </Page>
  );
});

function SearchForm({ search }: { readonly search: string }) {
  return (
    <form role="search" class="max-sm:w-full">
      <input
        type="search"
        name="q"
        value={search}
        aria-label={t("Search projects")}
        placeholder={t("Search projects")}
        class="block h-9 w-full rounded-md border border-line-strong bg-surface px-2.5 sm:w-56"
      />
    </form>
  );
}

interface ProjectTableProps {
  readonly rows: readonly ProjectRow[];
  readonly showsOrganization: boolean;
}

function ProjectTable({ rows, showsOrganization }: ProjectTableProps) {
  return (
    <Table
      caption={t("Projects")}
      density="comfortable"
      columns={[
        { label: t("Project") },
        ...(showsOrganization ? [{ label: t("Organization"), class: "max-md:hidden" }] : []),
        { label: t("Platform"), class: "max-md:hidden" },
        { label: t("Last 24 hours"), class: "w-32 max-sm:hidden" },
        { label: t("Errors, 24 h"), align: "right" },
        { label: t("Setup"), isLabelHidden: true, align: "right" },
      ]}
    >
      {rows.map((row) => (
        <Row key={row.id}>
          <Cell class="max-w-0 w-1/2">
            <span class="flex min-w-0 items-center gap-2.5">
              <PlatformTile platform={row.platform} />
              <span class="flex min-w-0 gap-x-2.5 max-sm:flex-col max-sm:items-start">
                <a
                  href={sectionPath(row.id, "issues")}
                  class="row-link max-w-full truncate font-medium"
                >
                  {row.name}
                </a>
                {row.firstEventAt === null && <Badge>{t("no events yet")}</Badge>}
              </span>
            </span>
          </Cell>
          {showsOrganization && <Cell class="text-muted max-md:hidden">{row.organization}</Cell>}
          <Cell class="text-muted max-md:hidden">{t(platformOf(row.platform).label)}</Cell>
          <Cell class="max-sm:hidden">
            {row.hourly
              ? (
                <Sparkline
                  counts={row.hourly}
                  label="{n} error in the last 24 hours|{n} errors in the last 24 hours"
                />
              )
              : NONE}
          </Cell>
          <Cell align="right">
            <Count
              value={row.hourly?.reduce((sum, n) => sum + n, 0) ?? null}
              unit="{n} error|{n} errors"
            />
          </Cell>
          <Cell align="right">
            <LinkButton
              href={sectionPath(row.id, "setup")}
              size="sm"
              icon="setup"
              class="above-row-link"
              aria-label={t("Setup of {name}", { name: row.name })}
            >
              {t("Setup")}
            </LinkButton>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function NewProject() {
  return <LinkButton href="/projects/new" kind="primary" icon="plus">{t("New project")}
  </LinkButton>;
}

function NoProjects(
  { total, search, shell }: Pick<ProjectsData, "total" | "search" | "shell">,
) {
  if (total > 0) {
    return (
      <EmptyState
        icon="search"
        title={t("No project of this name")}
        actions={<LinkButton href="/projects">{t("Show all projects")}</LinkButton>}
      >
        {t("None of your {total} projects has “{search}” in its name.", { total, search })}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="projects"
      title={t("No projects yet")}
      actions={offersNewProject(shell) && <NewProject />}
    >
      {offersNewProject(shell)
        ? t(
          "A project stands for one app or service. Create one, paste its DSN into the app, and its errors show up here.",
        )
        : t(
          "A project stands for one app or service. Owners and administrators of the organization create them, and may have to let you into a team first.",
        )}
    </EmptyState>
  );
}

export const handler = define.handlers<ProjectsData>({
  async GET(ctx) {
    requireUser(ctx.state);
    ctx.state.meta.title = t("Projects");
    const search = ctx.url.searchParams.get("q")?.trim() ?? "";
    const [shell, all] = await Promise.all([loadShell(ctx), loadProjects(ctx.state)]);
    const found = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
    const hourly = await loadSparklines(ctx.state, found.map(({ id }) => id));
    const rows = found.map((project) => ({ ...project, hourly: hourly?.get(project.id) ?? null }));
    return page({ shell, rows, total: all.length, search });
  },
});

async function loadProjects({ services: { kv }, actor }: State) {
  const organizations = await listVisibleOrganizations(kv, actor);
  const lists = await Promise.all(organizations.map(async (organization) => {
    const projects = await listProjectsSeenBy(kv, actor, organization);
    return projects.map((project) => ({ ...project, organization: organization.name }));
  }));
  return lists.flat().sort((a, b) => a.name.localeCompare(b.name));
}

/** Without Postgres there is still a list to show. */
async function loadSparklines({ services: { sql, log } }: State, projectIds: readonly string[]) {
  try {
    return await projectSparklines(sql, projectIds);
  } catch (error) {
    log.warn("project counts are missing", { error: String(error) });
    return null;
  }
}
