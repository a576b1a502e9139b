import type { Project } from "../../accounts/projects.ts";
import type { Sql } from "../../store/database.ts";
import { LinkButton } from "../../ui/components/button.tsx";
import { EmptyState } from "../../ui/components/panel.tsx";
import { Icon, type IconName } from "../../ui/components/icon.tsx";
import { Page, PageHeader, Tabs } from "../../ui/components/page.tsx";
import { alertsPath, newAlertPath, sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { ListSearch } from "../../ui/sorted_list.tsx";
import { type Channel, listChannels } from "../channels/channels.ts";
import { listRules, type StoredRule } from "../rules.ts";
import {
  compareSummaries,
  filterOf,
  LIST_FILTERS,
  type ListFilter,
  NOT_JUDGED,
  summariesOf,
} from "../states.ts";
import { sourceWords } from "../words.ts";
import { type AlertRow, AlertTable } from "./tables.tsx";
import { type Message, message, t } from "../../core/language/translate.ts";

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

const FILTER_LABELS: Readonly<Record<ListFilter, Message>> = {
  all: message("All"),
  firing: message("Firing"),
  pending: message("Pending"),
  no_data: message("No data"),
  ok: message("OK"),
  muted: message("Muted"),
  off: message("Off"),
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
        { label: t("Alerts") },
      ]}
    >
      <PageHeader
        title={t("Alerts")}
        description={t(
          "Numbers that are evaluated twice a minute, and who is notified when they cross a level.",
        )}
        actions={mayWrite && counts.all > 0 && (
          <LinkButton kind="primary" icon="plus" href={newAlertPath(project.id)}>
            {t("New alert")}
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
          label={t("States")}
          tabs={shown.map((each) => ({
            href: listHref(path, each, query),
            label: t(FILTER_LABELS[each]),
            isCurrent: each === filter,
            count: counts[each],
          }))}
        />
        <ListSearch
          path={path}
          keep={filter === "all" ? [] : [["status", filter]]}
          query={query}
          label={t("Search alerts")}
          placeholder={t("Name or measure")}
        />
      </div>
      <div class="rounded-lg border border-line bg-surface">
        {rows.length === 0
          ? (
            <EmptyState
              icon="search"
              title={t("No alert matches")}
              actions={<LinkButton href={path}>{t("Show all alerts")}</LinkButton>}
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

interface Beginning {
  readonly icon: IconName;
  readonly label: Message;
  readonly help: Message;
  readonly params: readonly (readonly [name: string, value: string])[];
}

/** What most projects want first. */
const BEGINNINGS: readonly Beginning[] = [
  {
    icon: "transactions",
    label: message("A slow transaction"),
    help: message("The p95 of one transaction, or of all, above a duration."),
    params: [
      ["source", "transactions"],
      ["transactionMeasure", "p95"],
      ["critical", "1 s"],
    ],
  },
  {
    icon: "issues",
    label: message("Many errors"),
    help: message("More errors within minutes than you want to sleep through."),
    params: [
      ["source", "errors"],
      ["errorMeasure", "events"],
      ["critical", "100"],
    ],
  },
  {
    icon: "metrics",
    label: message("A metric"),
    help: message("Any query: memory of a host, length of a queue, requests per second."),
    params: [["source", "metric"]],
  },
];

interface NoAlertsProps {
  readonly projectId: string;
  readonly mayWrite: boolean;
}

/** What alerts are, and three to begin with. */
function NoAlerts({ projectId, mayWrite }: NoAlertsProps) {
  return (
    <EmptyState icon="alerts" title={t("No alerts yet")}>
      <p>
        {t(
          "An alert evaluates a number twice a minute, and notifies your channels when it crosses a level and when it is back.",
        )}
      </p>
      {mayWrite
        ? (
          <ul class="mt-4 grid gap-2 text-left md:grid-cols-3">
            {BEGINNINGS.map(({ icon, label, help, params }) => (
              <li key={label}>
                <a
                  href={newAlertPath(
                    projectId,
                    new URLSearchParams(params.map(([...pair]) => pair)),
                  )}
                  class="flex h-full items-start gap-2.5 rounded-md border border-line-strong px-3 py-2 hover:bg-hover"
                >
                  <Icon name={icon} class="mt-[3px] text-muted" />
                  <span class="min-w-0">
                    <span class="block font-medium text-ink">{t(label)}</span>
                    <span class="block text-sm">{t(help)}</span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )
        : <p class="mt-2">{t("Members of the organization can make them.")}</p>}
    </EmptyState>
  );
}

const MAX_QUERY = 200;

type AlertList = Pick<AlertListView, "rows" | "counts" | "filter" | "query">;

/** Reads the alerts of a project with how they stand, narrowed by `status` and `query` of the address. */
export async function loadAlertList(
  sql: Sql,
  projectId: string,
  search: URLSearchParams,
  now: Date,
): Promise<AlertList> {
  const [rules, summaries, channels] = await Promise.all([
    listRules(sql, projectId),
    summariesOf(sql, projectId),
    listChannels(sql, projectId),
  ]);
  const all = rules.map((rule): AlertRow => ({
    rule,
    summary: summaries.get(rule.ruleId) ?? NOT_JUDGED,
    channels: channelsOf(rule, channels),
  }));
  const filter = LIST_FILTERS.find((each) => each === search.get("status")) ?? "all";
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const rows = all
    .filter(({ rule, summary }) => filter === "all" || filterOf(rule, summary, now) === filter)
    .filter(({ rule }) => matches(rule, query))
    .sort((a, b) => rank(a, now) - rank(b, now) || compareSummaries(a.summary, b.summary));
  return { rows, counts: countsOf(all, now), filter, query };
}

/** What nobody is told of goes below what somebody is. */
function rank({ rule, summary }: AlertRow, now: Date): number {
  const filter = filterOf(rule, summary, now);
  return filter === "off" ? 2 : filter === "muted" ? 1 : 0;
}

function countsOf(rows: readonly AlertRow[], now: Date): Record<ListFilter, number> {
  const counts = { ...NOT_JUDGED.counts, all: rows.length, muted: 0, off: 0 };
  for (const { rule, summary } of rows) counts[filterOf(rule, summary, now)] += 1;
  return counts;
}

function channelsOf({ channelIds }: StoredRule, channels: readonly Channel[]): Channel[] {
  return channels.filter(({ channelId }) => channelIds.includes(channelId));
}

/** Whether all words of a search stand in the name or in what is watched. */
function matches({ name, source }: StoredRule, query: string): boolean {
  const text = `${name} ${sourceWords(source)}`.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
