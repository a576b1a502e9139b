/** What the page of a site is made of: each part is read for itself, and says so when it cannot be. */
import { t } from "../core/language/translate.ts";
import type { Logger } from "../core/log.ts";
import { HOUR_MS, MINUTE_MS } from "../core/time.ts";
import { TimeLimitExceeded, withTimeLimit } from "../core/waiting.ts";
import {
  countHits,
  errorCounts,
  type IssueRow,
  listIssues,
  parseIssueSearch,
} from "../errors/mod.ts";
import { type ReleaseHealth, releaseHealth } from "../releases/mod.ts";
import { type PageScope, type PageView, selectionOf } from "../releases/request_scope.ts";
import type { Sql } from "../store/database.ts";
import { ceilTo, floorTo, QueryTooSlow } from "../store/query_limits.ts";
import { readStats } from "../store/stats/read_stats.ts";
import { readTotals, type VitalStats } from "../traces/mod.ts";
import { findSiteHost } from "./site_host.ts";
import { loadUptime, type WatchedMonitor } from "./site_uptime.ts";

/** What a panel shows, or why it cannot. */
export type Part<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "failed"; readonly sentence: string };

/** All that is known of a site. */
export interface SiteOverview {
  readonly uptime: Part<readonly WatchedMonitor[]>;
  readonly vitals: Part<VitalStats>;
  readonly errors: Part<SiteErrors>;
  readonly pages: Part<readonly SlowPage[]>;
  readonly release: Part<NewestRelease | null>;
  /** As visitors' browsers name it, such as `shop.example`; null: none has named a public one. */
  readonly host: string | null;
}

export interface SiteView extends PageView {
  readonly site: SiteOverview;
  /** Whether who looks may add monitors. */
  readonly mayAddMonitors: boolean;
}

/** The search that finds errors of pages: browsers' SDKs call their platform so, whatever the framework. */
export const PAGE_ERRORS = "platform:javascript";

export interface SiteErrors {
  readonly count: number;
  /** In the time before, of the same length. */
  readonly before: number;
  /** Unresolved ones, the most frequent first. */
  readonly top: readonly IssueRow[];
}

/** How long loads of one page take. */
export interface SlowPage {
  readonly name: string;
  /** Milliseconds that three of four loads do not exceed. */
  readonly p75: number;
  /** With what was sampled away. */
  readonly loads: number;
}

export interface NewestRelease extends ReleaseHealth {
  /** It came before the time of the page. */
  readonly isOlder: boolean;
}

/** How long the page waits for each of its parts, in milliseconds. */
const PART_MS = 3_000;

/** What reading a site needs. */
export interface SiteServices {
  readonly sql: Sql;
  readonly log: Logger;
}

/** Reads what the page of a site shows. Never throws: what fails or takes too long is missing alone. */
export async function loadSite(
  services: SiteServices,
  pageScope: PageScope,
  partMs: number = PART_MS,
): Promise<SiteOverview> {
  const { sql } = services;
  const { project, interval, now } = pageScope;
  const part = <T>(work: Promise<T>) => readPart(services, project.id, work, partMs);
  const [uptime, vitals, errors, pages, release, host] = await Promise.all([
    part(loadUptime(sql, project.id, interval, now)),
    part(readTotals(sql, pageScope)),
    part(loadErrors(sql, pageScope, partMs)),
    part(loadSlowPages(sql, pageScope)),
    part(loadNewestRelease(sql, pageScope)),
    part(findSiteHost(sql, project.id, now)),
  ]);
  return {
    uptime,
    vitals,
    errors,
    pages,
    release,
    // Without it the page says "your site", which is as true.
    host: host.kind === "read" ? host.value : null,
  };
}

async function readPart<T>(
  { log }: SiteServices,
  projectId: string,
  work: Promise<T>,
  partMs: number,
): Promise<Part<T>> {
  try {
    return { kind: "read", value: await withTimeLimit(work, partMs) };
  } catch (error) {
    if (error instanceof TimeLimitExceeded || error instanceof QueryTooSlow) {
      const sentence = `This took longer than ${partMs / 1_000} s. Choose a shorter time.`;
      return { kind: "failed", sentence };
    }
    log.warn("cannot load a part of a site", { project: projectId, error });
    return { kind: "failed", sentence: t("This could not be read. Reload the page to try again.") };
  }
}

/** Of longer times, tallies by the hour are read in place of every event. */
const EXACT_RANGE_MS = 6 * HOUR_MS;
/** As many as are counted at once, of both times together. */
const MAX_BUCKETS = 1_500;
const TOP_ISSUES = 5;

async function loadErrors(
  sql: Sql,
  { project, scope, interval, now }: PageScope,
  timeoutMs: number,
): Promise<SiteErrors> {
  const { filter } = parseIssueSearch(PAGE_ERRORS, now);
  const lengthMs = interval.end.getTime() - interval.start.getTime();
  const unitMs = lengthMs > EXACT_RANGE_MS ? HOUR_MS : MINUTE_MS;
  // Both times are counted at once in buckets of one grid, so that nothing counts in both.
  const bucketMs = unitMs * Math.max(1, Math.ceil(2 * lengthMs / unitMs / MAX_BUCKETS));
  const start = floorTo(bucketMs, interval.start);
  const buckets = Math.ceil((interval.end.getTime() - start.getTime()) / bucketMs);
  const within = {
    projectId: project.id,
    environments: scope.environments,
    releases: scope.releases,
    filter,
  };
  const both = {
    ...within,
    start: new Date(start.getTime() - buckets * bucketMs),
    end: new Date(start.getTime() + buckets * bucketMs),
  };
  // Counting looks for them among the errors of everything else that the project has.
  if (await countHits(sql, [project.id], both, 1) === 0) return { count: 0, before: 0, top: [] };
  const [{ counts }, issues] = await Promise.all([
    errorCounts(sql, { ...both, bucketSec: bucketMs / 1_000 }, timeoutMs),
    listIssues(sql, {
      ...within,
      ...interval,
      statuses: ["unresolved"],
      sort: "events",
      cursor: null,
      limit: TOP_ISSUES,
    }),
  ]);
  const sum = (part: readonly number[]) => part.reduce((total, count) => total + count, 0);
  return {
    count: sum(counts.slice(buckets)),
    before: sum(counts.slice(0, buckets)),
    top: issues.rows,
  };
}

const SLOW_PAGES = 5;
/** One slow load makes no slow page. */
const MIN_LOADS = 5;

async function loadSlowPages(sql: Sql, pageScope: PageScope): Promise<SlowPage[]> {
  const where = { op: "pageload" };
  const found = await readStats(
    sql,
    selectionOf(pageScope, "transaction", { where }),
    ["name"],
    ["users"],
  );
  // Where visitors are few, every load tells something.
  const often = found.filter(({ count }) => count >= MIN_LOADS);
  return (often.length === 0 ? found : often)
    .map(({ name, weight, sketch }) => ({
      name,
      p75: sketch.quantile(0.75) ?? 0,
      loads: Math.round(weight),
    }))
    .sort((a, b) => b.p75 - a.p75)
    .slice(0, SLOW_PAGES);
}

async function loadNewestRelease(
  sql: Sql,
  { project, scope, interval, releases }: PageScope,
): Promise<NewestRelease | null> {
  // Sessions are counted by whole hours.
  const start = floorTo(HOUR_MS, interval.start);
  const found = await releaseHealth(sql, project.id, {
    environments: scope.environments,
    releases: scope.releases,
    start,
    end: ceilTo(HOUR_MS, interval.end),
  });
  const rank = ({ release }: ReleaseHealth) => {
    const place = releases.indexOf(release);
    return place < 0 ? releases.length : place;
  };
  const [newest] = found.sort((a, b) =>
    b.firstSeen.getTime() - a.firstSeen.getTime() || rank(a) - rank(b)
  );
  if (newest === undefined) return null;
  return { ...newest, isOlder: newest.firstSeen.getTime() <= start.getTime() };
}
