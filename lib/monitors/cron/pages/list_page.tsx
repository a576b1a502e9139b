import { type Message, message, rich, t } from "@/lib/core/language/translate.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import type { Sql } from "@/lib/store/database.ts";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { Page, PageHeader, Tabs } from "@/lib/ui/components/page.tsx";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { type RowColumn, RowTable } from "@/lib/ui/components/table.tsx";
import { RelativeTime } from "@/lib/ui/components/values.tsx";
import { NONE } from "@/lib/ui/format.ts";
import {
  cronsPath,
  newCronPath,
  type Params,
  queryHref,
  sectionPath,
  without,
} from "@/lib/ui/links.ts";
import {
  ChoiceLinks,
  type ListPage,
  ListPages,
  ListSearch,
  pageOf,
} from "@/lib/ui/sorted_list.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { MonitorsTabs } from "../../tabs.tsx";
import { listMonitors, type Monitor, type MonitorEnvironment } from "../monitors.ts";
import { listErrors, type ProcessingError } from "../processing_errors.ts";
import { type Bar, timelines } from "../runs.ts";
import { scheduleWords } from "../schedule.ts";
import { type Standing, standingOf, STANDINGS } from "../words.ts";
import { ErrorTable } from "./error_table.tsx";
import { monitorHref, NextExpected, StandingBadge, Timeline } from "./parts.tsx";
import { Snippets } from "./snippets.tsx";

/** A monitor in one environment, or in none yet. */
interface ListRow {
  readonly monitor: Monitor;
  readonly state: MonitorEnvironment | null;
  readonly standing: Standing;
}

type Filter = "all" | Standing;

export interface CronListView {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  /** Of a server key, for the snippets. */
  readonly dsn: string;
  readonly list: ListPage<ListRow>;
  readonly counts: Readonly<Record<Filter, number>>;
  readonly filter: Filter;
  readonly query: string;
  readonly environments: readonly string[];
  /** `""`: all. */
  readonly environment: string;
  /** By project, slug and environment. */
  readonly bars: ReadonlyMap<string, readonly Bar[]>;
  /** Of jobs that could not become a monitor. */
  readonly errors: readonly ProcessingError[];
}

type Loaded = Omit<CronListView, "shell" | "project" | "mayWrite" | "dsn">;

const MAX_QUERY = 200;

/** Reads the list that an address asks for. */
export async function loadCronList(
  sql: Sql,
  projectId: string,
  search: URLSearchParams,
  now: Date,
): Promise<Loaded> {
  const [monitors, errors] = await Promise.all([
    listMonitors(sql, [projectId]),
    listErrors(sql, projectId, null, now),
  ]);
  const known = new Set(monitors.map(({ slug }) => slug));
  const all = monitors.flatMap(rowsOf);
  const environments = [...new Set(all.flatMap(({ state }) => state?.environment ?? []))].sort();
  const environment = environments.find((each) => each === search.get("environment")) ?? "";
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const filter = STANDINGS.find((each) => each === search.get("status")) ?? "all";
  const matching = all.filter((row) =>
    matches(row, query) && (environment === "" || row.state?.environment === environment)
  );
  const chosen = matching.filter(({ standing }) => filter === "all" || standing === filter)
    .sort((a, b) => STANDINGS.indexOf(a.standing) - STANDINGS.indexOf(b.standing));
  const list = pageOf(chosen, search.get("page"));
  const places = list.rows.flatMap(({ monitor: { slug }, state }) =>
    state === null ? [] : [{ projectId, slug, environment: state.environment }]
  );
  return {
    list,
    counts: countsOf(matching),
    filter,
    query,
    environments,
    environment,
    bars: await timelines(sql, places, now),
    errors: errors.filter(({ slug }) => !known.has(slug)),
  };
}

function rowsOf(monitor: Monitor): ListRow[] {
  const states = monitor.environments.length === 0 ? [null] : monitor.environments;
  return states.map((state) => ({ monitor, state, standing: standingOf(monitor, state) }));
}

function countsOf(rows: readonly ListRow[]): Record<Filter, number> {
  const counts = { all: rows.length, failing: 0, ok: 0, running: 0, waiting: 0, muted: 0, off: 0 };
  for (const { standing } of rows) counts[standing] += 1;
  return counts;
}

/** Whether all words of a search stand in the name, the slug or the environment. */
function matches({ monitor: { name, slug }, state }: ListRow, query: string): boolean {
  const text = `${name} ${slug} ${state?.environment ?? ""}`.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The parameters of the list that hold now. */
function paramsOf({ filter, query, environment }: CronListView): Params {
  const params: [string, string][] = [
    ["status", filter === "all" ? "" : filter],
    ["environment", environment],
    ["query", query],
  ];
  return params.filter(([, value]) => value !== "");
}

/** All cron jobs of a project with their last runs. */
export function CronListPage(view: CronListView) {
  const { shell, project, mayWrite, list, query, environment, filter, errors } = view;
  const isEmpty = list.total === 0 && query === "" && environment === "" && filter === "all";
  return (
    <Page
      shell={shell}
      section="monitors"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Cron jobs") },
      ]}
    >
      <PageHeader
        title={t("Cron jobs")}
        description={t(
          "Jobs that report each run. One that fails, hangs or does not begin becomes an issue.",
        )}
        actions={mayWrite && (
          <LinkButton kind="primary" icon="plus" href={newCronPath(project.id)}>
            {t("New cron job")}
          </LinkButton>
        )}
      />
      <div class="mb-4">
        <MonitorsTabs projectId={project.id} current="crons" />
      </div>
      {isEmpty ? <NoJobs {...view} /> : <List {...view} />}
      {errors.length > 0 && (
        <Panel title={t("Problems with check-ins")} id="errors" class="mt-4" flush>
          <ErrorTable errors={errors} withSlug />
        </Panel>
      )}
    </Page>
  );
}

function NoJobs({ dsn, mayWrite, project }: CronListView) {
  return (
    <div class="rounded-lg border border-line bg-surface">
      <EmptyState icon="clock" title={t("No cron job has reported yet")}>
        {t("A job appears here by itself with its first check-in: put one of these around it.")}
        {" "}
        {mayWrite && rich("Or <a>set one up</a> first, to get an address that it can ping.", {
          a: (words) => <a class="link" href={newCronPath(project.id)}>{words}</a>,
        })}
      </EmptyState>
      <div class="mx-auto max-w-3xl px-4 pb-8">
        <Snippets dsn={dsn} slug="nightly-backup" schedule="30 4 * * *" />
      </div>
    </div>
  );
}

function List(view: CronListView) {
  const { project, list, counts, filter, environments, environment, query } = view;
  const path = cronsPath(project.id);
  const params = paramsOf(view);
  const hrefWith = (name: string, value: string | null) =>
    queryHref(path, [...without(params, name, "page"), ...(value ? [[name, value] as const] : [])]);
  const filters: readonly Filter[] = ["all", ...STANDINGS];
  const shown = filters.filter((each) => each === "all" || each === filter || counts[each] > 0);
  return (
    <>
      <div class="mb-3 flex flex-wrap items-end justify-between gap-3">
        <Tabs
          label={t("States")}
          tabs={shown.map((each) => ({
            href: hrefWith("status", each === "all" ? null : each),
            label: t(FILTER_LABELS[each]),
            isCurrent: each === filter,
            count: counts[each],
          }))}
        />
        <ListSearch
          path={path}
          keep={without(params, "query")}
          query={query}
          label={t("Search cron jobs")}
          placeholder={t("Name")}
        />
      </div>
      {environments.length > 1 && (
        <div class="mb-3">
          <ChoiceLinks
            label={t("Environments")}
            choices={["", ...environments]}
            chosen={environment}
            hrefOf={(choice) => hrefWith("environment", choice)}
          />
        </div>
      )}
      <div class="rounded-lg border border-line bg-surface">
        {list.total === 0
          ? (
            <EmptyState
              icon="search"
              title={t("No cron job matches")}
              actions={<LinkButton href={path}>{t("Show all cron jobs")}</LinkButton>}
            />
          )
          : (
            <>
              <RowTable
                caption={t("Cron jobs")}
                columns={columnsOf(view)}
                rows={list.rows}
                rowKey={({ monitor, state }) => `${monitor.slug}/${state?.environment ?? ""}`}
                density="comfortable"
              />
              <ListPages
                list={list}
                unit="{n} cron job|{n} cron jobs"
                hrefOf={(page) => hrefWith("page", page)}
              />
            </>
          )}
      </div>
    </>
  );
}

const FILTER_LABELS: Readonly<Record<Filter, Message>> = {
  all: message("All"),
  failing: message("Failing"),
  ok: message("OK"),
  running: message("Running@@jobs"),
  waiting: message("Waiting@@jobs"),
  muted: message("Muted"),
  off: message("Off"),
};

function columnsOf({ bars, project }: CronListView): RowColumn<ListRow>[] {
  return [
    { label: t("State"), cell: ({ standing }) => <StandingBadge standing={standing} /> },
    { label: t("Cron job"), class: "min-w-40", cell: ({ monitor }) => <Name monitor={monitor} /> },
    {
      label: t("Environment"),
      class: "max-w-40 truncate",
      cell: ({ state }) => state?.environment || NONE,
    },
    {
      label: t("Last runs"),
      help: t("The newest at the right"),
      cell: ({ monitor: { slug }, state }) => (
        <Timeline bars={bars.get(`${project.id}/${slug}/${state?.environment}`) ?? []} />
      ),
    },
    {
      label: t("Last check-in"),
      align: "right",
      cell: ({ state }) => <RelativeTime date={state?.lastCheckInAt ?? null} />,
    },
    {
      label: t("Next expected"),
      align: "right",
      cell: ({ monitor, state }) => (
        <NextExpected at={monitor.isActive ? state?.nextAt ?? null : null} />
      ),
    },
  ];
}

function Name({ monitor }: { readonly monitor: Monitor }) {
  const { name, config } = monitor;
  return (
    <span class="block max-w-40 min-w-0 sm:max-w-80">
      <a class="row-link block truncate font-medium" href={monitorHref(monitor)} title={name}>
        <bdi>{name}</bdi>
      </a>
      <span class="block truncate text-meta text-muted">
        {config === null ? t("no schedule") : scheduleWords(config)}
      </span>
    </span>
  );
}
