/** The list of a project's uptime monitors. */
import type { Project } from "@/lib/accounts/projects.ts";
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import type { Sql } from "@/lib/store/database.ts";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import { Page, PageHeader, Tabs } from "@/lib/ui/components/page.tsx";
import { EmptyState } from "@/lib/ui/components/panel.tsx";
import { formatDuration } from "@/lib/ui/format.ts";
import {
  monitorPath,
  monitorsPath,
  newMonitorPath,
  paramsOf,
  queryHref,
  sectionPath,
} from "@/lib/ui/links.ts";
import type { Shell } from "@/lib/ui/shell.ts";
import {
  ListSearch,
  readSorting,
  type SortColumn,
  sorted,
  SortedTable,
  type Sorting,
  sortingText,
} from "@/lib/ui/sorted_list.tsx";
import { MonitorsTabs } from "../../tabs.tsx";
import { KIND_LABELS, type Monitor, targetWords } from "../monitor.ts";
import { listMonitors } from "../monitors.ts";
import { meanMs, type PeriodSum, readSums, totalOf, uptimeOf, uptimeWords } from "../sums.ts";
import {
  CertificateDays,
  SHOWN_STATES,
  type ShownState,
  shownState,
  STATE_LABELS,
  StateBadge,
  UptimeBars,
} from "./parts.tsx";
import { probeWords } from "../../probes/problem_words.ts";
import { message, rich, t } from "@/lib/core/language/translate.ts";

interface MonitorRow {
  readonly monitor: Monitor;
  readonly state: ShownState;
  /** Of the last 24 hours. */
  readonly sums: readonly PeriodSum[];
  readonly uptime: number | null;
  readonly meanMs: number | null;
}

export interface MonitorListView {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly now: Date;
  readonly rows: readonly MonitorRow[];
  /** Of all of them, by state. */
  readonly counts: ReadonlyMap<ShownState, number>;
  readonly total: number;
  readonly state: ShownState | null;
  readonly query: string;
  readonly sorting: Sorting;
  /** Since when nothing can be reached from here; null: it can. */
  readonly cutOffSince: Date | null;
}

const COLUMNS: readonly SortColumn<MonitorRow>[] = [
  // As text, so that it stands at the left and the worst come first.
  {
    key: "state",
    label: message("State"),
    value: ({ state }) => String(SHOWN_STATES.indexOf(state)),
  },
  {
    key: "name",
    label: message("Monitor"),
    value: ({ monitor }) => monitor.name.toLowerCase(),
    cellClass: "w-full max-w-0 min-w-36",
  },
  { key: "bars", label: message("Last 24 h"), class: "max-md:hidden" },
  {
    key: "uptime",
    label: message("Uptime"),
    value: ({ uptime }) => uptime,
    align: "right",
    help: message("Of the measured time of the last 24 hours"),
  },
  {
    key: "latency",
    label: message("Latency"),
    value: ({ meanMs }) => meanMs,
    align: "right",
    help: message("Mean of the last 24 hours"),
    class: "max-sm:hidden",
  },
  {
    key: "certificate",
    label: message("Certificate"),
    value: ({ monitor }) => monitor.certificate?.daysLeft ?? null,
    align: "right",
    help: message("Days until it ends"),
    class: "max-lg:hidden",
  },
  {
    key: "next",
    label: message("Next check"),
    class: "max-lg:hidden",
    value: ({ monitor }) => monitor.isPaused ? null : monitor.dueAt.getTime(),
  },
];
const WORST_FIRST: Sorting = { key: "state", isDescending: false };
const MAX_QUERY = 200;

/** Reads the monitors of a project, narrowed by `state` and `query` of the address. */
export async function loadMonitorList(
  sql: Sql,
  projectId: string,
  search: URLSearchParams,
  now: Date,
): Promise<Omit<MonitorListView, "shell" | "project" | "mayWrite">> {
  const [monitors, sums, cutOffs] = await Promise.all([
    listMonitors(sql, projectId),
    readSums(sql, projectId, "hour", {
      start: new Date(now.getTime() - DAY_MS + HOUR_MS),
      end: now,
    }),
    sql<{ since: Date }[]>`select since from uptime_cut_offs where project_id = ${projectId}`,
  ]);
  const all = monitors.map((monitor): MonitorRow => {
    const own = sums.get(monitor.monitorId) ?? [];
    const total = totalOf(own);
    return {
      monitor,
      state: shownState(monitor, now),
      sums: own,
      uptime: uptimeOf(total),
      meanMs: meanMs(total),
    };
  });
  const state = SHOWN_STATES.find((each) => each === search.get("state")) ?? null;
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const sorting = readSorting(search.get("sort"), COLUMNS, WORST_FIRST);
  const rows = all.filter((row) => state === null || row.state === state)
    .filter(({ monitor }) => matches(monitor, query));
  return {
    now,
    rows: sorted(rows, COLUMNS, sorting),
    counts: new Map([...Map.groupBy(all, (row) => row.state)].map(([key, of]) => [key, of.length])),
    total: all.length,
    state,
    query,
    sorting,
    cutOffSince: cutOffs[0]?.since ?? null,
  };
}

function matches({ name, target }: Monitor, query: string): boolean {
  const text = `${name} ${targetWords(target)} ${t(KIND_LABELS[target.kind])}`.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** All uptime monitors of a project. */
export function MonitorListPage(view: MonitorListView) {
  const { shell, project, mayWrite, total } = view;
  return (
    <Page
      shell={shell}
      section="monitors"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Monitors") },
      ]}
    >
      <PageHeader
        title={t("Monitors")}
        description={t("What is checked from outside: sites, certificates, ports and names.")}
        actions={mayWrite && total > 0 && (
          <LinkButton kind="primary" icon="plus" href={newMonitorPath(project.id)}>
            {t("New monitor")}
          </LinkButton>
        )}
      />
      <MonitorsTabs projectId={project.id} current="uptime" />
      <div class="mt-4">
        {view.cutOffSince !== null && <CutOff since={view.cutOffSince} />}
        {total === 0 ? <NoMonitors {...view} /> : <List {...view} />}
      </div>
    </Page>
  );
}

function CutOff({ since }: { readonly since: Date }) {
  return (
    <p class="mb-3 rounded-md border border-warning bg-warning-soft px-3 py-2">
      {rich(
        "<strong>This server seems to have no network</strong> since {since}: what cannot be reached is not measured, and there are no notifications of each.",
        { strong: (words) => <strong>{words}</strong>, since: <ExactTime date={since} /> },
      )}
    </p>
  );
}

function List(view: MonitorListView) {
  const { project, rows, counts, total, state, query, sorting, now } = view;
  const path = monitorsPath(project.id);
  const sort = sorting === WORST_FIRST ? null : sortingText(sorting);
  const hrefOf = (changes: Record<string, string | null>) =>
    queryHref(path, paramsOf({ state, query, sort, ...changes }));
  const states = SHOWN_STATES.filter((each) => each === state || (counts.get(each) ?? 0) > 0);
  return (
    <>
      <div class="mb-3 flex flex-wrap items-end justify-between gap-3">
        <Tabs
          label={t("States")}
          tabs={[
            {
              href: hrefOf({ state: null }),
              label: t("All"),
              isCurrent: state === null,
              count: total,
            },
            ...states.map((each) => ({
              href: hrefOf({ state: each }),
              label: t(STATE_LABELS[each]),
              isCurrent: each === state,
              count: counts.get(each) ?? 0,
            })),
          ]}
        />
        <ListSearch
          path={path}
          keep={paramsOf({ state, sort })}
          query={query}
          label={t("Search monitors")}
          placeholder={t("Name or address")}
        />
      </div>
      <div class="rounded-lg border border-line bg-surface">
        {rows.length === 0
          ? (
            <EmptyState
              icon="search"
              title={t("No monitor matches")}
              actions={<LinkButton href={path}>{t("Show all monitors")}</LinkButton>}
            />
          )
          : (
            <SortedTable
              caption={t("Uptime monitors")}
              density="comfortable"
              columns={COLUMNS}
              rows={rows}
              rowKey={({ monitor }) => monitor.monitorId}
              sorting={sorting}
              hrefOf={(sort) => hrefOf({ sort })}
              cells={{
                state: (row) => <StateBadge state={row.state} />,
                name: (row) => <MonitorLink row={row} />,
                bars: ({ sums }) => <UptimeBars period="hour" sums={sums} count={24} now={now} />,
                uptime: ({ uptime }) => uptimeWords(uptime),
                latency: (row) => formatDuration(row.meanMs),
                certificate: ({ monitor }) => (
                  <CertificateDays
                    days={monitor.certificate?.daysLeft ?? null}
                    warnings={monitor.certificateDays}
                  />
                ),
                next: ({ monitor }) =>
                  monitor.isPaused
                    ? <span class="text-muted">–</span>
                    : <NextCheck at={monitor.dueAt} now={now} />,
              }}
            />
          )}
      </div>
    </>
  );
}

/** Below the name of a monitor stands what it checks or, where that fails, what is wrong. */
function MonitorLink({ row: { monitor, state } }: { readonly row: MonitorRow }) {
  const target = targetWords(monitor.target);
  const isWrong = (state === "down" || state === "degraded") && monitor.lastError !== "";
  return (
    <>
      <a
        class="row-link block truncate font-medium"
        title={monitor.name}
        href={monitorPath(monitor.projectId, monitor.monitorId)}
      >
        <bdi>{monitor.name}</bdi>
      </a>
      {isWrong
        ? (
          <span
            class="block truncate text-meta"
            title={`${target}: ${probeWords(monitor.lastError)}`}
          >
            <bdi>{probeWords(monitor.lastError)}</bdi>
          </span>
        )
        : (
          <span class="block truncate text-meta text-muted" title={target}>
            <bdi>{target}</bdi>
          </span>
        )}
    </>
  );
}

/** When a monitor is checked next: times ahead, which the kit's words are not made for. */
export function NextCheck({ at, now }: { readonly at: Date; readonly now: Date }) {
  const seconds = Math.ceil((at.getTime() - now.getTime()) / 1_000);
  if (seconds <= 0) return <span>{t("now")}</span>;
  const words = seconds < 100
    ? t("in {time} s", { time: seconds })
    : t("in {time} min", { time: Math.round(seconds / 60) });
  return <time datetime={at.toISOString()} title={at.toISOString()}>{words}</time>;
}

function NoMonitors({ project, mayWrite }: MonitorListView) {
  return (
    <div class="rounded-lg border border-line bg-surface">
      <EmptyState
        icon="monitors"
        title={t("Nothing is watched from outside yet")}
        actions={mayWrite && (
          <LinkButton kind="primary" icon="plus" href={newMonitorPath(project.id)}>
            {t("New monitor")}
          </LinkButton>
        )}
      >
        <p>
          {t(
            "A monitor asks your site, port or name server every minute or so, and notifies your channels when it is down, when it is up again, and before its certificate ends. Nothing has to be installed.",
          )}
        </p>
        {!mayWrite && <p class="mt-2">{t("Members of the organization can make them.")}</p>}
      </EmptyState>
    </div>
  );
}
