import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { ceilTo, floorTo } from "../../store/query_limits.ts";
import { readStats } from "../../store/stats/read_stats.ts";
import { failureRate } from "../../store/stats/stats.ts";
import { alongInterval } from "../../store/stats/steps.ts";
import { type Commit, commitsOf } from "../commits.ts";
import type { ChartMarker } from "../../ui/charts/mod.ts";
import { type Deploy, deployMarkers, deploysOf } from "../deploys.ts";
import { type ArtifactBundle, bundlesOfRelease } from "../../sourcemaps/mod.ts";
import {
  type HealthAt,
  healthOverTime,
  newIssuesOf,
  type ReleaseHealth,
  releaseHealth,
} from "../health.ts";
import { findRelease, likePackageOf, type Release } from "../releases.ts";
import { type PageScope, selectionOf } from "../request_scope.ts";
import { adoptionOf, crashFree } from "./load_list.ts";

/** How a release does in a time, in few figures. */
export interface ReleaseFigures {
  readonly sessions: number;
  readonly users: number;
  readonly errors: number;
  readonly newIssues: number;
  readonly crashFreeSessions: number | null;
  readonly crashFreeUsers: number | null;
  /** Its share of all sessions; null without any. */
  readonly adoption: number | null;
}

/** A transaction in a release and in the one that it is compared with. */
export interface ComparedTransaction {
  readonly name: string;
  readonly op: string;
  readonly count: number;
  readonly p95: number | null;
  readonly baseP95: number | null;
  readonly failureRate: number | null;
  readonly baseFailureRate: number | null;
}

export interface ReleaseData {
  readonly release: Release;
  /** The release before it; null when there is none. */
  readonly base: string | null;
  readonly figures: ReleaseFigures;
  readonly baseFigures: ReleaseFigures | null;
  readonly times: readonly number[];
  readonly stepMs: number;
  readonly course: readonly HealthAt[];
  readonly commits: readonly Commit[];
  readonly deploys: readonly Deploy[];
  /** Those that got slower come first. */
  readonly transactions: readonly ComparedTransaction[];
  /** Uploads of source maps, the newest first. */
  readonly bundles: readonly ArtifactBundle[];
  readonly hasMoreBundles: boolean;
  /** Deploys of its package. */
  readonly markers: readonly ChartMarker[];
}

/** Of a page; the API has all. */
const MAX_COMMITS = 100;
/** As many as people compare; the settings have all. */
const MAX_BUNDLES = 20;
/** Steps of a chart of the health. */
const STEPS_MS = [HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, DAY_MS];
const MAX_STEPS = 120;

/** Reads the page of one release; null when the project has none of this name. */
export async function loadRelease(
  sql: Sql,
  pageScope: PageScope,
  version: string,
): Promise<ReleaseData | null> {
  const { project } = pageScope;
  const release = await findRelease(sql, project.id, version);
  if (release === null) return null;
  const base = await releaseBefore(sql, release);
  const [figures, commits, deploys, transactions, course, bundles, markers] = await Promise.all([
    readFigures(sql, pageScope, base === null ? [version] : [version, base]),
    commitsOf(sql, project.id, version, { limit: MAX_COMMITS }),
    deploysOf(sql, [project.id], version),
    base === null ? [] : compareTransactions(sql, pageScope, version, base),
    loadCourse(sql, pageScope, version),
    bundlesOfRelease(sql, project.id, version, MAX_BUNDLES + 1),
    deployMarkers(sql, project.id, pageScope.interval, pageScope.scope, version),
  ]);
  return {
    release,
    base,
    figures: figures[0] ?? NO_FIGURES,
    baseFigures: figures[1] ?? null,
    ...course,
    commits,
    deploys,
    transactions,
    bundles: bundles.slice(0, MAX_BUNDLES),
    markers,
    hasMoreBundles: bundles.length > MAX_BUNDLES,
  };
}

/** The version below in its package, or where names tell no versions, the release that was made before. */
async function releaseBefore(sql: Sql, release: Release): Promise<string | null> {
  const { projectId, id, version, sortKey } = release;
  const isBelow = sortKey === null
    ? sql`(created_at, id) < (select created_at, id from releases
        where project_id = ${projectId} and id = ${id})`
    : sql`sort_key < ${sortKey}`;
  const order = sortKey === null ? sql`created_at desc, id desc` : sql`sort_key desc, id desc`;
  const [before] = await sql<{ version: string }[]>`
    select version from releases
    where project_id = ${projectId} and ${isBelow} and ${likePackageOf(sql, version)}
    order by ${order} limit 1
  `;
  return before?.version ?? null;
}

async function loadCourse(
  sql: Sql,
  { project, scope, interval, now }: PageScope,
  version: string,
) {
  const length = interval.end.getTime() - interval.start.getTime();
  const stepMs = STEPS_MS.find((step) => length / step <= MAX_STEPS) ?? DAY_MS;
  const { times } = alongInterval([], interval, stepMs, now);
  const { environments } = scope;
  const course = await healthOverTime(sql, project.id, version, {
    ...hours(interval),
    environments,
  }, {
    times,
    stepMs,
  });
  return { times, stepMs, course };
}

/** Sessions are counted by whole hours. */
function hours({ start, end }: PageScope["interval"]) {
  return { start: floorTo(HOUR_MS, start), end: ceilTo(HOUR_MS, end) };
}

const NO_FIGURES: ReleaseFigures = {
  sessions: 0,
  users: 0,
  errors: 0,
  newIssues: 0,
  crashFreeSessions: null,
  crashFreeUsers: null,
  adoption: null,
};

/** The figures of releases, in their order. */
export async function readFigures(
  sql: Sql,
  { project, scope, interval }: PageScope,
  versions: readonly string[],
): Promise<ReleaseFigures[]> {
  const { environments } = scope;
  const [health, newIssues] = await Promise.all([
    releaseHealth(sql, project.id, { ...hours(interval), environments, releases: [] }),
    newIssuesOf(sql, [project.id], versions),
  ]);
  return versions.map((version) => {
    const row = health.find(({ release }) => release === version);
    return {
      ...row === undefined ? NO_FIGURES : figuresOf(row),
      adoption: adoptionOf(version, health),
      newIssues: newIssues.get(`${project.id}/${version}`) ?? 0,
    };
  });
}

function figuresOf(health: ReleaseHealth): Omit<ReleaseFigures, "newIssues" | "adoption"> {
  const { sessions, users, errors, crashedSessions, crashedUsers } = health;
  return {
    sessions,
    users,
    errors,
    crashFreeSessions: crashFree(crashedSessions, sessions),
    crashFreeUsers: crashFree(crashedUsers, users),
  };
}

/** Fewer calls than these tell nothing of a quantile. */
const MIN_COUNT = 10;
const MAX_TRANSACTIONS = 20;

/** The transactions that both releases have, those first that got slower by the most. */
export async function compareTransactions(
  sql: Sql,
  pageScope: PageScope,
  version: string,
  base: string,
): Promise<ComparedTransaction[]> {
  const [own, others] = await Promise.all(
    [version, base].map((release) =>
      readStats(
        sql,
        selectionOf(pageScope, "transaction", { releases: [release] }),
        ["name", "op"],
        [
          "users",
        ],
      )
    ),
  );
  const before = new Map((others ?? []).map((group) => [`${group.op} ${group.name}`, group]));
  return (own ?? []).flatMap((group) => {
    const other = before.get(`${group.op} ${group.name}`);
    if (other === undefined || group.count < MIN_COUNT || other.count < MIN_COUNT) return [];
    return [{
      name: group.name,
      op: group.op,
      count: Math.round(group.weight),
      p95: group.sketch.quantile(0.95),
      baseP95: other.sketch.quantile(0.95),
      failureRate: failureRate(group),
      baseFailureRate: failureRate(other),
    }];
  }).sort((a, b) => slowdown(b) - slowdown(a)).slice(0, MAX_TRANSACTIONS);
}

function slowdown({ p95, baseP95 }: ComparedTransaction): number {
  return p95 === null || baseP95 === null ? -Infinity : p95 - baseP95;
}
