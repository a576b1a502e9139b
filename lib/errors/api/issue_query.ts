/** What a request asks for when it lists issues, in the parameters of Sentry's clients. */
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { readLimit, readScope } from "../../api/lists.ts";
import { type ApiContext, ApiError } from "../../api/route.ts";
import type { IssueQuery } from "../issues.ts";
import { parseIssueSearch } from "../search/parse.ts";
import { conditionsOf, type IssueFilter, type IssueStatus } from "../search/terms.ts";

/** Of several projects: ids of issues are of one sequence. */
export type ListQuery = Omit<IssueQuery, "projectId">;

/** Sentry's words for the orders. */
const SORTS: ReadonlyMap<string, IssueQuery["sort"]> = new Map([
  ["date", "last_seen"],
  ["new", "first_seen"],
  ["inbox", "inbox"],
  ["freq", "events"],
  ["trends", "trends"],
  ["recommended", "trends"],
  ["user", "users"],
]);

/** Each order in one of Sentry's words. */
export const SORT_NAMES: Readonly<Record<IssueQuery["sort"], string>> = {
  last_seen: "date",
  first_seen: "new",
  events: "freq",
  users: "user",
  trends: "trends",
  inbox: "inbox",
};

/** The order that a word of Sentry's means; the newest first for others. */
export function sortOf(word: string | null): IssueQuery["sort"] {
  return SORTS.get(word ?? "date") ?? "last_seen";
}

/** Older clients send a status in place of `is:`. */
const STATUSES: ReadonlyMap<string, IssueStatus> = new Map([
  ["unresolved", "unresolved"],
  ["resolved", "resolved"],
  ["ignored", "ignored"],
  ["muted", "ignored"],
  ["archived", "ignored"],
]);

/**
 * What is searched for when nobody says: as on the page. Sentry leaves out low priorities as well; a script that resolves
 * all shall not pass over what the page shows.
 */
export const DEFAULT_QUERY = "is:unresolved";

/**
 * Reads the parameters by which Sentry's clients list issues: `query`, `environment`, `statsPeriod` or
 * `start` and `end`, `sort`, `cursor`, `limit`. Without a period the whole retention is searched; an order that we do not
 * have is that of the last event.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
export function readIssueQuery(
  search: URLSearchParams,
  retentionDays: number,
  now: Date = new Date(),
): ListQuery {
  const { filter, statuses, problems: [problem] } = parseIssueSearch(
    search.get("query") ?? DEFAULT_QUERY,
    now,
  );
  if (problem !== undefined) {
    throw ApiError.detail(400, `Error parsing search query: "${problem.part}": ${problem.reason}`);
  }
  const asked = readStatuses(search.getAll("status")) ?? statuses;
  return {
    filter,
    ...asked === undefined ? {} : { statuses: asked },
    ...readScope(search, retentionDays, now),
    sort: sortOf(search.get("sort")),
    cursor: search.get("cursor") || null,
    limit: readLimit(search.get("limit") ?? search.get("per_page")),
  };
}

/** The same of a request. @param search in place of its own parameters */
export function queryOf(ctx: ApiContext, search = ctx.url.searchParams): ListQuery {
  const { kv, config } = ctx.state.services;
  const { actor } = ctx.state;
  const userId = "user" in actor ? actor.user.id : null;
  return { ...readIssueQuery(search, config.retentionDays), searcher: { kv, userId } };
}

/** What to tell a client that asks for an order that we do not have, as HTTP writes warnings; null: nothing. */
export function sortWarning(search: URLSearchParams): string | null {
  const sort = search.get("sort");
  return !sort || SORTS.has(sort)
    ? null
    : `299 watchpost "Unknown sort, so the newest come first: write ${
      [...SORTS.keys()].join(" ")
    }"`;
}

function readStatuses(names: readonly string[]): IssueStatus[] | undefined {
  const statuses = new Set(names.flatMap((name) => STATUSES.get(name) ?? []));
  return statuses.size === 0 ? undefined : [...statuses];
}

/** The projects whose issues a search may be about: short ids name theirs. */
export function projectsMeant(filter: IssueFilter, accesses: readonly ProjectAccess[]): string[] {
  const slugs = conditionsOf(filter).flatMap((node) => node.kind === "number" ? [node.slug] : []);
  return accesses.map(({ project }) => project)
    .filter(({ slug }) => slugs.every((each) => each === slug))
    .map(({ id }) => id);
}
