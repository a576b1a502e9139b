import { wholeRetention } from "../errors/events.ts";
import { ISSUE_STATUSES, type IssueStatus, parseIssueSearch } from "../errors/issue_search.ts";
import type { IssueQuery } from "../errors/issues.ts";
import type { QueryScope } from "../store/query_limits.ts";
import { ApiError } from "./route.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const PAGE = { default: 25, max: 100 };

/** Sentry's words for the orders that we have. */
const SORTS: Readonly<Record<string, IssueQuery["sort"]>> = {
  date: "last_seen",
  new: "first_seen",
  freq: "events",
  user: "users",
};

/** What Sentry searches for when nobody says. */
const DEFAULT_QUERY = "is:unresolved";

/**
 * Reads the parameters by which Sentry's clients list issues: `query`, `environment`, `statsPeriod` or
 * `start` and `end`, `sort`, `cursor`, `limit`. Without a period the whole retention is searched.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
export function readIssueQuery(
  search: URLSearchParams,
  retentionDays: number,
  now: Date = new Date(),
): Omit<IssueQuery, "projectId"> {
  const { filter, statuses, problems: [problem] } = parseIssueSearch(
    search.get("query") ?? DEFAULT_QUERY,
  );
  if (problem !== undefined) {
    throw ApiError.detail(400, `Error parsing search query: "${problem.part}": ${problem.reason}`);
  }
  const asked = readStatuses(search.getAll("status")) ?? statuses;
  return {
    filter,
    ...asked === undefined ? {} : { statuses: asked },
    ...readScope(search, retentionDays, now),
    sort: readSort(search.get("sort")),
    cursor: search.get("cursor") || null,
    limit: readLimit(search.get("limit") ?? search.get("per_page")),
  };
}

/** What the figures of issues are limited to: environments, and the time range. @throws {ApiError} 400 */
export function readScope(
  search: URLSearchParams,
  retentionDays: number,
  now: Date = new Date(),
): QueryScope {
  return {
    environments: search.getAll("environment").filter((name) => name !== ""),
    releases: [],
    ...readInterval(search, retentionDays, now),
  };
}

/** `?status=unresolved`, which older clients send instead of `is:`. */
function readStatuses(names: readonly string[]): IssueStatus[] | undefined {
  const statuses = ISSUE_STATUSES.filter((status) => names.includes(status));
  return statuses.length === 0 ? undefined : statuses;
}

/** The time range that a request asks for; all that was kept when it does not say. @throws {ApiError} 400 */
export function readInterval(
  search: URLSearchParams,
  retentionDays: number,
  now: Date = new Date(),
): { start: Date; end: Date } {
  const whole = wholeRetention(retentionDays, now);
  const end = readTime(search, "end") ?? whole.end;
  const start = readTime(search, "start") ?? startOfPeriod(search.get("statsPeriod"), now) ??
    whole.start;
  if (start >= end) throw ApiError.detail(400, "start must be before end");
  return { start: start < whole.start ? whole.start : start, end };
}

function startOfPeriod(period: string | null, now: Date): Date | null {
  if (!period) return null;
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(period) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? NaN);
  if (!(ms > 0)) throw ApiError.detail(400, "Invalid statsPeriod: write 24h, 14d or 2w");
  return new Date(now.getTime() - ms);
}

/** ISO 8601; without a zone it is UTC. */
function readTime(search: URLSearchParams, name: string): Date | null {
  const text = search.get(name);
  if (!text) return null;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes("T");
  const time = new Date(hasZone ? text : `${text}Z`);
  if (Number.isNaN(time.getTime())) {
    throw ApiError.detail(400, `Invalid ${name}: write a date as in 2026-11-20T12:00:00Z`);
  }
  return time;
}

function readSort(name: string | null): IssueQuery["sort"] {
  const sort = Object.hasOwn(SORTS, name ?? "date") ? SORTS[name ?? "date"] : undefined;
  if (sort !== undefined) return sort;
  throw ApiError.detail(400, `Invalid sort: write ${Object.keys(SORTS).join(", ")}`);
}

/** Rows of a page; what is out of range or no number is corrected, as Sentry does. */
export function readLimit(text: string | null): number {
  const asked = Math.trunc(Number(text ?? PAGE.default));
  return asked >= 1 ? Math.min(asked, PAGE.max) : PAGE.default;
}
