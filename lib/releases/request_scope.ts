import type { ProjectAccess } from "../accounts/authorize.ts";
import { type Project, settingsOf } from "../accounts/projects.ts";
import { readInterval } from "../api/lists.ts";
import { type ApiContext, ApiError } from "../api/route.ts";
import type { Interval } from "../core/time.ts";
import type { Sql } from "../store/database.ts";
import { foldForReading } from "../store/stats/fold_stats.ts";
import { readStats, readStatsOverTime, type StatsSelection } from "../store/stats/read_stats.ts";
import type { SeriesKind } from "../store/stats/series.ts";
import {
  environmentsOf,
  releasesOf,
  releaseStarts,
  servicesOf,
} from "../store/stats/series_names.ts";
import { NO_STATS, type Stats } from "../store/stats/stats.ts";
import { alongInterval, before, stepOf, type Steps } from "../store/stats/steps.ts";
import { deploysWithin, markersOf } from "./deploys.ts";
import { releaseHref } from "../ui/links.ts";
import { intervalOf, parseScope } from "../ui/scope.ts";
import type { ScopedProject } from "../ui/scoped_page.tsx";
import type { Shell } from "../ui/shell.ts";

/** What every page of a project knows: whose, which part, which time. */
export interface PageScope extends ScopedProject {
  readonly project: Project;
  readonly interval: Interval;
  readonly now: Date;
  /** What satisfies, in milliseconds. */
  readonly apdexMs: number;
  /** Where a server sends, with its key: known while nothing has come in, for pages that say how to send. */
  readonly serverDsn?: string;
}

/** Whether something came in that names where it is from. */
export function hasReceived(
  { environments, services, releases }: Pick<PageScope, "environments" | "services" | "releases">,
): boolean {
  return environments.length + services.length + releases.length > 0;
}

/** What every page of a project is told beside its own. */
export interface PageView {
  readonly shell: Shell;
  readonly pageScope: PageScope;
}

/** Reads the scope of a page out of its URL, and what its pickers and charts need. */
export async function loadPageScope(
  sql: Sql,
  project: Project,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<PageScope> {
  const scope = parseScope(search);
  const interval = intervalOf(scope, now);
  await foldForReading(sql);
  const [environments, releases, services, starts, deploys] = await Promise.all([
    environmentsOf(sql, project.id),
    releasesOf(sql, project.id),
    servicesOf(sql, project.id),
    releaseStarts(sql, project.id, interval),
    deploysWithin(sql, project.id, interval, scope.environments),
  ]);
  const { apdexMs, sampleRate } = settingsOf(project);
  return {
    project,
    scope,
    interval,
    now,
    environments,
    releases,
    services,
    // Where somebody tells of deploys, these say when a release began better than its first transaction.
    markers: [
      ...markersOf(deploys, project.id, scope),
      ...starts.filter(({ release }) => !deploys.some(({ version }) => version === release))
        .map(({ release, at }) => ({
          at: at.getTime(),
          label: release,
          href: releaseHref(project.id, scope, release),
        })),
    ],
    apdexMs,
    sampleRate,
  };
}

/** What a page counts. */
export function selectionOf(
  { project, scope: { environments, releases, services }, interval }: PageScope,
  kind: SeriesKind,
  extra: Partial<StatsSelection> = {},
): StatsSelection {
  return { projectId: project.id, kind, environments, releases, services, ...interval, ...extra };
}

/** Counts of one thing over the time of a page. */
export interface Course {
  readonly total: Stats;
  /** In the time before, of the same length. */
  readonly previous: Stats;
  readonly steps: Steps;
}

/** Reads how a selection did over the time of a page, along it, and in the time before. */
export async function readCourse(
  sql: Sql,
  { interval, now }: PageScope,
  selection: StatsSelection,
): Promise<Course> {
  const stepMs = stepOf(interval, now);
  const [totals, previous, points] = await Promise.all([
    readStats(sql, selection, []),
    readStats(sql, { ...selection, ...before(interval) }, []),
    readStatsOverTime(sql, selection, stepMs, ["users"]),
  ]);
  return {
    total: totals[0] ?? NO_STATS,
    previous: previous[0] ?? NO_STATS,
    steps: alongInterval(points, interval, stepMs, now),
  };
}

/** As the pages, so that figures of both agree. */
const DEFAULT_PERIOD = "14d";
const PERIOD_PARAMETERS = ["statsPeriod", "start", "end"];
/** How far ahead a time may be before intake corrects it. */
const CLOCKS_AHEAD_MS = 60_000;
const MAX_TEXT = 200;

/**
 * Reads which part of a project a request is about: `environment`, `release` and `service`, each any number
 * of times, and `statsPeriod` or `start` and `end`; without those the last 14 days.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
export function readApiScope(
  { state, url: { searchParams } }: ApiContext,
  { project }: Pick<ProjectAccess, "project">,
  now: Date = new Date(),
): PageScope {
  const valuesOf = (name: string) => searchParams.getAll(name).filter((value) => value !== "");
  const interval = readPeriod(searchParams, state.services.config.retentionDays, now);
  const { apdexMs, sampleRate } = settingsOf(project);
  return {
    project,
    scope: {
      environments: valuesOf("environment"),
      releases: valuesOf("release"),
      services: valuesOf("service"),
      range: interval,
    },
    interval,
    now,
    // Pickers and markers are for pages.
    environments: [],
    releases: [],
    services: [],
    markers: [],
    apdexMs,
    sampleRate,
  };
}

function readPeriod(search: URLSearchParams, retentionDays: number, now: Date): Interval {
  const hasPeriod = PERIOD_PARAMETERS.some((name) => search.get(name));
  const asked = hasPeriod ? search : new URLSearchParams({ statsPeriod: DEFAULT_PERIOD });
  const { start, end } = readInterval(asked, retentionDays, now);
  // Nothing is stored beyond, and counts by the minute are only read for what is short.
  const soon = new Date(now.getTime() + CLOCKS_AHEAD_MS);
  if (start >= soon) throw ApiError.detail(400, "start must not be in the future");
  return { start, end: end < soon ? end : soon };
}

/** A text parameter without outer blanks; `""` when it is missing. @throws {ApiError} 400 when it is too long */
export function readText(search: URLSearchParams, name: string): string {
  const text = search.get(name)?.trim() ?? "";
  if (text.length <= MAX_TEXT) return text;
  throw ApiError.detail(400, `Invalid ${name}: write at most ${MAX_TEXT} characters`);
}
