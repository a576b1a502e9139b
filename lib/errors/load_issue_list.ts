import type { Sql } from "../store/database.ts";
import {
  countIssues,
  type IssuePage,
  type IssueQuery,
  listIssues,
} from "./issues.ts";
import { parseIssueSearch, tagKeysIn } from "./issue_search.ts";
import { firstEvent } from "./occurrences.ts";
import { environmentsOf, releasesOf, tagKeys, unknownTagKeys } from "./tags.ts";
import { unknownKeyReason } from "../ui/near_keys.ts";
import { intervalOf, parseScope, type Scope } from "../ui/scope.ts";
import {
  type IssueListParams,
  PAGE_SIZE,
  parseIssueListParams,
  statusesOf,
  type StatusTab,
} from "./list_params.ts";
import type { SearchProblem } from "./issue_search_box.tsx";
import { SEARCH_KEYS } from "./search_values.ts";

export interface IssueList {
  readonly scope: Scope;
  readonly params: IssueListParams;
  readonly problems: readonly SearchProblem[];
  readonly issues: IssuePage;
  /** Issues behind each tab, under the same scope and search. */
  readonly counts: Readonly<Record<StatusTab, number>>;
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  /** What can be searched for. */
  readonly keys: readonly string[];
  /** False as long as nothing was ever received. */
  readonly hasEvents: boolean;
}

/** Reads everything that the list of issues shows, by the parameters in its URL. */
export async function loadIssueList(
  sql: Sql,
  projectId: string,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<IssueList> {
  const scope = parseScope(search);
  const asked = parseIssueListParams(search);
  const { filter, statuses, problems } = parseIssueSearch(asked.query);
  const params = statuses ? { ...asked, tab: tabOf(statuses) } : asked;
  const within = {
    projectId,
    filter,
    environments: scope.environments,
    releases: scope.releases,
    ...intervalOf(scope, now),
  };
  const [issues, counts, environments, releases, keys, unknown] = await Promise.all([
    listIssues(sql, {
      ...within,
      statuses: statuses ?? statusesOf(asked.tab),
      sort: params.sort,
      cursor: params.cursor,
      limit: PAGE_SIZE,
    }),
    countIssues(sql, within),
    environmentsOf(sql, projectId),
    releasesOf(sql, projectId),
    tagKeys(sql, projectId),
    unknownTagKeys(sql, projectId, tagKeysIn(filter)),
  ]);
  const allKeys = [...new Set([...SEARCH_KEYS, ...keys])];
  const hasEvents = issues.rows.length > 0 || await firstEvent(sql, projectId) !== null;
  return {
    scope,
    params,
    problems: [
      ...problems,
      ...unknown.map((key) => ({ part: key, reason: unknownKeyReason(key, allKeys, "event") })),
    ],
    issues,
    counts: { ...counts, all: counts.unresolved + counts.resolved + counts.ignored },
    environments,
    releases,
    keys: allKeys,
    hasEvents,
  };
}

/** `is:` in the search is stronger than the tab: the tab follows it. */
function tabOf(statuses: NonNullable<IssueQuery["statuses"]>): StatusTab {
  const [only, ...others] = statuses;
  return only && others.length === 0 ? only : "all";
}
