import { HOUR_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { ceilTo, floorTo } from "../../store/query_limits.ts";
import {
  type ListPage,
  pageOf,
  readSorting,
  type SortColumn,
  sorted,
  type Sorting,
} from "../../ui/sorted_list.tsx";
import { packageOf } from "../../records/version.ts";
import { type Deploy, lastDeploys } from "../deploys.ts";
import { type ReleaseHealth, releaseHealth } from "../health.ts";
import { MAX_RELEASES, newIssuesOf } from "../health.ts";
import { listVersions, type Release, releasesNamed } from "../releases.ts";
import type { PageScope } from "../request_scope.ts";
import { message } from "../../core/language/translate.ts";

/** What the list shows of a release. */
export interface ReleaseRow {
  readonly version: string;
  readonly sortKey: string | null;
  /** When it was released, or made. */
  readonly date: Date;
  /** Of its sessions; null without any. */
  readonly crashFreeSessions: number | null;
  readonly crashFreeUsers: number | null;
  /** Its share of all sessions in the time; null without any. */
  readonly adoption: number | null;
  readonly sessions: number;
  readonly events: number;
  readonly newIssues: number;
  readonly commitCount: number;
  readonly lastSeen: Date | null;
  readonly lastDeploy: Deploy | null;
}

export interface ReleaseList {
  readonly list: ListPage<ReleaseRow>;
  readonly sorting: Sorting;
  readonly query: string;
  /** All that the project has, in whatever time. */
  readonly hasAny: boolean;
  readonly isCut: boolean;
}

export const RELEASE_COLUMNS: readonly SortColumn<ReleaseRow>[] = [
  {
    key: "version",
    label: message("Release"),
    value: ({ sortKey }) => sortKey,
    align: "left",
    help: message("In the order of versions; those without one last"),
    cellClass: "w-full max-w-0 min-w-40 sm:min-w-56",
  },
  {
    key: "date",
    label: message("Released"),
    value: ({ date }) => date.getTime(),
    class: "max-sm:hidden",
  },
  {
    key: "adoption",
    label: message("Adoption"),
    value: ({ adoption }) => adoption,
    help: message("Its share of all sessions in this time"),
  },
  {
    key: "sessions",
    label: message("Crash-free sessions"),
    value: ({ crashFreeSessions }) => crashFreeSessions,
    help: message(
      "Share of sessions that did not crash; an unhandled error after which the program goes on is none",
    ),
  },
  {
    key: "users",
    label: message("Crash-free users"),
    value: ({ crashFreeUsers }) => crashFreeUsers,
    help: message("Share of users without any crashed session"),
    class: "max-lg:hidden",
  },
  {
    key: "issues",
    label: message("New issues"),
    value: ({ newIssues }) => newIssues,
    class: "max-md:hidden",
  },
  {
    key: "events",
    label: message("Errors"),
    value: ({ events }) => events,
    class: "max-md:hidden",
  },
  {
    key: "deploy",
    label: message("Last deploy"),
    value: ({ lastDeploy }) => lastDeploy?.finishedAt.getTime() ?? null,
    class: "max-xl:hidden",
  },
];

const MAX_QUERY = 200;

/** Reads the list of a project's releases: those that were made or heard of in the time, with how they do. */
export async function loadReleaseList(
  sql: Sql,
  { project, scope, interval }: PageScope,
  search: URLSearchParams,
): Promise<ReleaseList> {
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const sorting = readSorting(search.get("sort"), RELEASE_COLUMNS, {
    key: "date",
    isDescending: true,
  });
  // Sessions are counted by whole hours.
  const time = { start: floorTo(HOUR_MS, interval.start), end: ceilTo(HOUR_MS, interval.end) };
  const [versions, health, any] = await Promise.all([
    listVersions(sql, [project.id], { query, sort: "date", offset: 0, limit: MAX_RELEASES + 1 }),
    releaseHealth(sql, project.id, { ...time, environments: scope.environments, releases: [] }),
    listVersions(sql, [project.id], { query: "", sort: "date", offset: 0, limit: 1 }),
  ]);
  const [releases, deploys, newIssues] = await Promise.all([
    releasesNamed(sql, [project.id], versions.slice(0, MAX_RELEASES)),
    lastDeploys(sql, [project.id], versions.slice(0, MAX_RELEASES)),
    newIssuesOf(sql, [project.id], versions.slice(0, MAX_RELEASES)),
  ]);
  const doing = new Map(health.map((row) => [row.release, row]));
  const isOfEnvironment = scope.environments.length > 0;
  const rows = releases
    .filter(({ version }) => scope.releases.length === 0 || scope.releases.includes(version))
    .filter((release) =>
      doing.has(release.version) ||
      (!isOfEnvironment && dateOf(release) >= interval.start && dateOf(release) < interval.end) ||
      isDeployedHere(deploys.get(release.version), scope.environments, interval)
    )
    .map((release) =>
      rowOf(release, doing.get(release.version), {
        adoption: adoptionOf(release.version, health),
        lastDeploy: deploys.get(release.version) ?? null,
        newIssues: newIssues.get(`${project.id}/${release.version}`) ?? 0,
      })
    )
    .sort((a, b) => b.date.getTime() - a.date.getTime());
  return {
    list: pageOf(sorted(rows, RELEASE_COLUMNS, sorting), search.get("page")),
    sorting,
    query,
    hasAny: any.length > 0,
    isCut: versions.length > MAX_RELEASES,
  };
}

function isDeployedHere(
  deploy: Deploy | undefined,
  environments: readonly string[],
  { start, end }: PageScope["interval"],
): boolean {
  return deploy !== undefined && deploy.finishedAt >= start && deploy.finishedAt < end &&
    (environments.length === 0 || environments.includes(deploy.environment));
}

function dateOf({ releasedAt, createdAt }: Release): Date {
  return releasedAt ?? createdAt;
}

function rowOf(
  release: Release,
  health: ReleaseHealth | undefined,
  other: Pick<ReleaseRow, "adoption" | "lastDeploy" | "newIssues">,
): ReleaseRow {
  const sessions = health?.sessions ?? 0;
  return {
    version: release.version,
    sortKey: release.sortKey,
    date: dateOf(release),
    crashFreeSessions: crashFree(health?.crashedSessions ?? 0, sessions),
    crashFreeUsers: crashFree(health?.crashedUsers ?? 0, health?.users ?? 0),
    sessions,
    events: health?.errors ?? 0,
    commitCount: release.commitCount,
    lastSeen: health?.lastSeen ?? release.lastEvent,
    ...other,
  };
}

/** The share of a release in all sessions; null where no program of its package tells of sessions. */
export function adoptionOf(version: string, health: readonly ReleaseHealth[]): number | null {
  const counted = health.filter(({ sessions }) => sessions > 0);
  if (!counted.some(({ release }) => packageOf(release) === packageOf(version))) return null;
  const all = counted.reduce((sum, { sessions }) => sum + sessions, 0);
  return (counted.find(({ release }) => release === version)?.sessions ?? 0) / all;
}

/** A share from 0 to 1; null of none. */
export function crashFree(crashed: number, all: number): number | null {
  return all === 0 ? null : 1 - crashed / all;
}
