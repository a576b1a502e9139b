import type { Sql } from "../store/database.ts";
import { nullIfSlow } from "../store/query_limits.ts";
import { environmentsOf, releasesOf } from "../store/stats/series_names.ts";
import { eventPath, issuePath } from "../ui/links.ts";
import { unknownKeyReason } from "../ui/near_keys.ts";
import { intervalOf, parseScope, type Scope, scopedHref } from "../ui/scope.ts";
import { findEvent } from "./events.ts";
import { firstEvent } from "./issue_counts.ts";
import { SEARCH_KEYS } from "./search/completions.ts";
import { parseIssueSearch, tagKeysIn } from "./search/parse.ts";
import type { Searcher } from "./search/people.ts";
import { allOf, conditionsOf, type IssueFilter, type IssueStatus } from "./search/terms.ts";
import { countIssues, FOR_REVIEW, MINE } from "./issue_hits.ts";
import { ISSUE_SORTS, type IssueSort, listIssues } from "./issues.ts";
import { findIssueNamed, parseShortId } from "./workflow/short_id.ts";
import { tagKeys, unknownTagKeys } from "./tags.ts";

/** Reads everything that the list of issues shows, by the parameters in its URL. */
export async function loadIssueList(
  sql: Sql,
  projectId: string,
  search: URLSearchParams,
  searcher: Searcher,
  now: Date = new Date(),
) {
  const scope = parseScope(search);
  const asked = parseIssueListParams(search);
  const { filter, statuses, problems } = parseIssueSearch(asked.query);
  const params = statuses ? { ...asked, tab: tabOf(statuses, filter) } : asked;
  const within = {
    projectId,
    filter,
    searcher,
    environments: scope.environments,
    releases: scope.releases,
    ...intervalOf(scope, now),
  };
  const [issues, counts, environments, releases, keys, unknown] = await Promise.all([
    nullIfSlow(listIssues(sql, {
      ...within,
      filter: statuses === undefined ? allOf([filter, ...filtersOf(asked.tab)]) : filter,
      statuses: statuses ?? statusesOf(asked.tab),
      sort: params.sort,
      cursor: params.cursor,
      limit: PAGE_SIZE,
    })),
    nullIfSlow(countIssues(sql, within)),
    environmentsOf(sql, projectId),
    releasesOf(sql, projectId),
    tagKeys(sql, projectId),
    unknownTagKeys(sql, projectId, tagKeysIn(filter)),
  ]);
  const allKeys = [...new Set([...SEARCH_KEYS, ...keys])];
  const hasEvents = issues === null || issues.rows.length > 0 ||
    await firstEvent(sql, projectId) !== null;
  return {
    scope,
    params,
    problems: [
      ...problems,
      ...unknown.map((key) => ({ part: key, reason: unknownKeyReason(key, allKeys, "event") })),
    ],
    /** Null when the search took too long. */
    issues,
    /** Issues behind each tab, under the same scope and search; null when counting them took too long. */
    counts: counts && { ...counts, all: counts.unresolved + counts.resolved + counts.ignored },
    environments,
    releases,
    /** What can be searched for. */
    keys: allKeys,
    /** Whether it is a search of its own that makes sense, not another page of one. */
    isWorthKeeping: asked.query !== "" && asked.cursor === null && problems.length === 0,
    /** False as long as nothing was ever received. */
    hasEvents,
  };
}

export type IssueList = Awaited<ReturnType<typeof loadIssueList>>;

/** `is:` in the search is stronger than the tab: the tab follows it. */
function tabOf(statuses: readonly IssueStatus[], filter: IssueFilter): StatusTab {
  if (conditionsOf(filter).some(({ kind }) => kind === "for_review")) return "for_review";
  const [only, ...others] = statuses;
  return only && others.length === 0 ? only : "all";
}

export const STATUS_TABS = [
  "unresolved",
  "for_review",
  "assigned",
  "resolved",
  "ignored",
  "all",
] as const;
export type StatusTab = (typeof STATUS_TABS)[number];

/** Rows of one page. */
export const PAGE_SIZE = 50;

/** What the list of issues shows beyond the scope; all of it lives in the URL. */
export interface IssueListParams {
  readonly tab: StatusTab;
  /** The search box as typed. */
  readonly query: string;
  readonly sort: IssueSort;
  readonly cursor: string | null;
  /** Number of the first row in the whole list, 1 on the first page. Only for display. */
  readonly from: number;
  /** Whether the bare address leads to a search that somebody has pinned: then links to the plain list say so. */
  readonly hasPin?: boolean;
}

const MAX_QUERY_LENGTH = 1_000;

/** Reads the list's parameters; whatever is unknown is as good as absent. */
export function parseIssueListParams(params: URLSearchParams): IssueListParams {
  const from = Number(params.get("from"));
  const cursor = params.get("cursor") || null;
  return {
    tab: STATUS_TABS.find((tab) => tab === params.get("status")) ?? "unresolved",
    query: (params.get("query") ?? "").trim().slice(0, MAX_QUERY_LENGTH),
    sort: ISSUE_SORTS.find((sort) => sort === params.get("sort")) ?? "last_seen",
    cursor,
    from: cursor !== null && Number.isSafeInteger(from) && from > 0 ? from : 1,
  };
}

/** The statuses behind a tab, or undefined for all. */
export function statusesOf(tab: StatusTab): readonly IssueStatus[] | undefined {
  if (tab === "all") return undefined;
  return [tab === "for_review" || tab === "assigned" ? "unresolved" : tab];
}

/** What else must hold of the issues behind a tab. */
function filtersOf(tab: StatusTab): readonly IssueFilter[] {
  if (tab === "for_review") return [FOR_REVIEW];
  return tab === "assigned" ? [MINE] : [];
}

/** Parameters that a link or form of the list carries beside the scope; paging starts anew with them. */
export function keptParams(
  { tab, query, sort, hasPin = false }: IssueListParams,
): Record<string, string> {
  const isPlain = query === "" && tab === "unresolved" && sort === "last_seen";
  return {
    ...(query === "" ? {} : { query }),
    ...(tab === "unresolved" && !(isPlain && hasPin) ? {} : { status: tab }),
    ...(sort === "last_seen" ? {} : { sort }),
  };
}

/** Whether an address names nothing of the list: then it begins with what is pinned. */
export function isPlainAddress(search: URLSearchParams): boolean {
  return ["query", "status", "sort", "cursor"].every((name) => !search.has(name));
}

/** The list that a search opens, whatever its status: what it says of that is in its words. */
export function searchHref(
  path: string,
  scope: Scope,
  { query, sort }: Pick<IssueListParams, "query" | "sort">,
): string {
  return issueListHref(path, scope, { tab: "all", query, sort, cursor: null, from: 1 });
}

/** What the list shows as words alone: a tab is said in them, unless they say something of the status themselves. */
export function wordsOf({ tab, query }: Pick<IssueListParams, "tab" | "query">): string {
  const isSaid = tab === "all" || parseIssueSearch(query).statuses !== undefined;
  return isSaid ? query : `${TAB_WORDS[tab]} ${query}`.trim();
}

const TAB_WORDS: Record<Exclude<StatusTab, "all">, string> = {
  unresolved: "is:unresolved",
  for_review: "is:for_review",
  assigned: "is:unresolved assigned:[me, my_teams]",
  resolved: "is:resolved",
  ignored: "is:archived",
};

/** The list with some of its parameters changed, from its first page unless `cursor` says otherwise. */
export function issueListHref(
  path: string,
  scope: Scope,
  params: IssueListParams,
  changes: Partial<IssueListParams> = {},
): string {
  const { cursor, from, ...rest } = { ...params, cursor: null, from: 1, ...changes };
  return scopedHref(path, scope, {
    ...keptParams({ ...rest, cursor, from }),
    cursor,
    from: cursor !== null && from > 1 ? String(from) : null,
  });
}

/** The event or issue that somebody pasted into the search box. */
interface IdInSearch {
  readonly kind: "event" | "issue";
  readonly id: string;
  /** False for bare digits, which may as well be words to search for: `404`. */
  readonly isCertain: boolean;
}

/**
 * Reads a search that may be an id: of an event, with or without hyphens, or of an issue, as `SHOP-1A`, `#12` or `12`.
 *
 * @param slug of the project
 */
export function idInSearch(query: string, slug: string): IdInSearch | null {
  const hex = query.replaceAll("-", "").toLowerCase();
  if (/^[0-9a-f]{32}$/.test(hex)) return { kind: "event", id: hex, isCertain: true };
  const [, hash, digits] = /^(#?)(\d{1,18})$/.exec(query) ?? [];
  if (digits) return { kind: "issue", id: digits, isCertain: hash === "#" };
  return parseShortId(query)?.slug === slug ? { kind: "issue", id: query, isCertain: true } : null;
}

/** Where an id from the search box leads, with the scope kept; null when nothing has that id. */
export async function findById(
  sql: Sql,
  projectId: string,
  { kind, id }: IdInSearch,
  scope: Scope,
): Promise<string | null> {
  if (kind === "issue") {
    const issue = await findIssueNamed(sql, id, [{ id: projectId, slug: "" }]);
    return issue && scopedHref(issuePath(projectId, issue.id), scope);
  }
  const event = await findEvent(sql, projectId, id);
  return event && scopedHref(eventPath(projectId, event.issueId, event.eventId), scope);
}
