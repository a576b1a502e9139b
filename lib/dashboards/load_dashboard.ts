import { t } from "../core/language/translate.ts";
import { errorCounts, parseIssueSearch } from "../errors/mod.ts";
import { bucketSecondsFor } from "../ui/scope.ts";
import type { Logger } from "../core/log.ts";
import { TimeLimitExceeded, withTimeLimit } from "../core/waiting.ts";
import {
  Deadline,
  findMetrics,
  heatQueryOf,
  InvalidQuery,
  labelValues,
  loadHeat,
  type QueryServices,
  runQueries,
  SharedReads,
} from "../metrics/mod.ts";
import { type PageScope, selectionOf } from "../releases/request_scope.ts";
import type { Sql } from "../store/database.ts";
import { QueryTooSlow } from "../store/query_limits.ts";
import { readStats, readStatsOverTime } from "../store/stats/read_stats.ts";
import { NO_STATS } from "../store/stats/stats.ts";
import { alongInterval, stepOf } from "../store/stats/steps.ts";
import type { Shell } from "../ui/shell.ts";
import {
  type Choices,
  type DashboardContent,
  type ErrorsPanel,
  metricsOf,
  type MetricsPanel,
  type Panel,
  readChoices,
  type TransactionsPanel,
  withChoices,
} from "./content.ts";
import { type DashboardView, readRefresh, type ShownDashboard } from "./dashboard_frame.tsx";
import type { PanelData } from "./panels/panel_data.ts";
import {
  knownLabels,
  knownMetrics,
  makeReady,
  READY_DASHBOARDS,
  wantedMetrics,
} from "./ready/make_ready.ts";

/** Metrics whose values a variable offers; more would say the same. */
const METRICS_A_VARIABLE = 3;

interface OpenedDashboard {
  readonly shell: Shell;
  readonly pageScope: PageScope;
  readonly mayEdit: boolean;
  readonly dashboard: ShownDashboard;
  /** Of the page. */
  readonly url: URL;
  readonly baseUrl: string;
}

/** Reads what the page of a dashboard shows. */
export async function loadDashboard(
  services: PanelServices,
  { shell, pageScope, mayEdit, dashboard, url, baseUrl }: OpenedDashboard,
): Promise<DashboardView> {
  const { project } = pageScope;
  const { searchParams: search } = url;
  const { content } = dashboard;
  const choices = readChoices(content.variables, search);
  const [values, data] = await Promise.all([
    valuesOf(services.sql, project.id, content),
    loadPanels(services, pageScope, content, choices),
  ]);
  return {
    shell,
    project,
    pageScope,
    dashboard,
    choices,
    values,
    refresh: readRefresh(search),
    isEditing: mayEdit && dashboard.kind === "kept" && search.get("edit") === "1",
    mayEdit,
    data,
    address: addressOf(url, baseUrl),
  };
}

/** What there is to choose from for each variable, by its label. */
async function valuesOf(
  sql: Sql,
  projectId: string,
  content: DashboardContent,
): Promise<Map<string, string[]>> {
  return new Map(
    await Promise.all(content.variables.map(async ({ label }): Promise<[string, string[]]> => {
      const metrics = metricsOf(content, label).slice(0, METRICS_A_VARIABLE);
      const found = await Promise.all(
        metrics.map((metric) => labelValues(sql, projectId, metric, label, "")),
      );
      return [label, [...new Set(found.flat())].sort()];
    })),
  );
}

/** The address without what is only about this window. */
function addressOf(url: URL, baseUrl: string): string {
  const search = new URLSearchParams(url.searchParams);
  search.delete("edit");
  const query = search.size === 0 ? "" : `?${search}`;
  return new URL(url.pathname + query, baseUrl).href;
}

/** A ready-made dashboard of the metrics that a project has; null when there is none of this id. */
export async function loadReady(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<Extract<ShownDashboard, { kind: "ready" }> | null> {
  const ready = READY_DASHBOARDS.find((each) => each.id === id);
  if (ready === undefined) return null;
  const known = await knownMetrics(sql, projectId, wantedMetrics([ready]));
  const labels = await knownLabels(sql, projectId, [...known.keys()]);
  return { kind: "ready", id, name: t(ready.name), content: makeReady(ready, known, labels) };
}

/** More would only wait for each other in the database. */
const AT_ONCE = 4;

/** How long a page waits for its panels, in milliseconds. */
export interface PanelLimits {
  /** For one panel. */
  readonly panelMs: number;
  /** Later than this after the first, no panel begins. */
  readonly pageMs: number;
}

const LIMITS: PanelLimits = { panelMs: 3_000, pageMs: 6_000 };

export interface PanelServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly log: Logger;
  /** What panels of one metric read together; absent: each for itself. */
  readonly shared?: SharedReads;
}

/**
 * Reads what the panels of a dashboard show, a few at once. A panel that fails or takes too long says so in its place;
 * the others are there all the same.
 *
 * @returns by id of the panel; every panel is there
 */
export async function loadPanels(
  services: PanelServices,
  pageScope: PageScope,
  { panels }: Pick<DashboardContent, "panels">,
  choices: Choices,
  limits = LIMITS,
): Promise<ReadonlyMap<string, PanelData>> {
  const found = new Map<string, PanelData>();
  const began = performance.now();
  const waiting = [...panels];
  const sharing = { ...services, shared: new SharedReads() };
  const work = async () => {
    for (let panel = waiting.shift(); panel !== undefined; panel = waiting.shift()) {
      const isLate = performance.now() - began > limits.pageMs;
      found.set(
        panel.id,
        isLate ? tooLate() : await loadPanel(sharing, pageScope, panel, choices, limits),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** Reads one panel within its time. Never throws. */
export async function loadPanel(
  services: PanelServices,
  pageScope: PageScope,
  panel: Panel,
  choices: Choices,
  { panelMs }: Pick<PanelLimits, "panelMs"> = LIMITS,
): Promise<PanelData> {
  try {
    return await withTimeLimit(read(services, pageScope, panel, choices, panelMs), panelMs);
  } catch (error) {
    if (error instanceof InvalidQuery) return { kind: "failed", sentence: error.message };
    if (error instanceof TimeLimitExceeded || error instanceof QueryTooSlow) {
      return tooSlow(panelMs);
    }
    services.log.warn("cannot load a panel", { project: pageScope.project.id, error });
    return { kind: "failed", sentence: t("This could not be read. Reload the page to try again.") };
  }
}

function tooSlow(limitMs: number): PanelData {
  const sentence = t(
    "This took longer than {seconds} s. Choose a shorter time, or narrow the panel's filter.",
    { seconds: limitMs / 1000 },
  );
  return { kind: "failed", sentence };
}

function tooLate(): PanelData {
  const sentence = t(
    "The panels before this one took too long, so this one was not read. Reload the page, or choose a shorter time.",
  );
  return { kind: "failed", sentence };
}

async function read(
  services: PanelServices,
  pageScope: PageScope,
  panel: Panel,
  choices: Choices,
  limitMs: number,
): Promise<PanelData> {
  switch (panel.kind) {
    case "text":
      return { kind: "text" };
    case "errors":
      return await loadErrors(services, pageScope, panel, limitMs);
    case "transactions":
      return await loadTransactions(services.sql, pageScope, panel);
    case "metrics": {
      const timed = { ...services, deadline: new Deadline(limitMs) };
      return await loadMetrics(timed, pageScope, withChoices(panel, choices));
    }
  }
}

/**
 * Answers the queries of a panel over the time of the page.
 *
 * @param panel with the chosen values of variables
 * @throws {InvalidQuery} when there is no answer
 */
async function loadMetrics(
  services: QueryServices,
  { project, scope: { environments, releases, services: names }, interval }: PageScope,
  panel: MetricsPanel,
): Promise<PanelData> {
  const { queries, formulas, hidden, view, stepMs, comparesPrevious } = panel;
  const request = {
    projectId: project.id,
    ...interval,
    scope: { environments, releases, services: names },
    stepMs,
    comparesPrevious,
  };
  if (view !== "heatmap") {
    const result = await runQueries(services, { ...request, queries, formulas });
    return { kind: "metrics", panel, result };
  }
  const found = queries.map(async ({ metric }) =>
    [metric, await findMetrics(services.sql, project.id, metric)] as const
  );
  const known = Object.fromEntries(await Promise.all(found));
  const query = heatQueryOf({ queries, hidden, known });
  return { kind: "heat", panel, heat: query && await loadHeat(services, request, query) };
}

const HOUR_SEC = 3_600;
/** Of longer times, tallies by the hour are read instead of every event. */
const EXACT_RANGE_MS = 6 * HOUR_SEC * 1000;

/** Counts the errors of a panel over the time of the page. @throws {QueryTooSlow} */
async function loadErrors(
  { sql, kv }: PanelServices,
  { project, scope, interval, now }: PageScope,
  { search }: Pick<ErrorsPanel, "search">,
  timeoutMs: number,
): Promise<PanelData> {
  const isLong = interval.end.getTime() - interval.start.getTime() > EXACT_RANGE_MS;
  const bucketSec = Math.max(bucketSecondsFor(interval), isLong ? HOUR_SEC : 0);
  const { filter, statuses, problems } = parseIssueSearch(search, now);
  const { start, counts } = await errorCounts(sql, {
    projectId: project.id,
    environments: scope.environments,
    releases: scope.releases,
    ...interval,
    bucketSec,
    filter: search.trim() === "" ? null : filter,
    statuses,
    // A dashboard shows everybody the same.
    searcher: { kv, userId: null },
  }, timeoutMs);
  const bucketMs = bucketSec * 1000;
  return {
    kind: "errors",
    times: counts.map((_, place) => start.getTime() + place * bucketMs),
    bucketMs,
    counts,
    problems: problems.map(({ part, reason }) => `${part}: ${reason}.`),
  };
}

/** Reads how the transactions of a panel did over the time of the page. */
async function loadTransactions(
  sql: Sql,
  pageScope: PageScope,
  { transaction }: Pick<TransactionsPanel, "transaction">,
): Promise<PanelData> {
  const { interval, now } = pageScope;
  const stepMs = stepOf(interval, now);
  const selection = transaction === ""
    ? selectionOf(pageScope, "total")
    : selectionOf(pageScope, "transaction", { where: { name: transaction } });
  const [totals, points] = await Promise.all([
    readStats(sql, selection, []),
    readStatsOverTime(sql, selection, stepMs, ["users"]),
  ]);
  return {
    kind: "transactions",
    total: totals[0] ?? NO_STATS,
    steps: alongInterval(points, interval, stepMs, now),
  };
}
