/** Lists of issues on the pages of releases, which do not know issues themselves. */
import { t } from "../core/language/translate.ts";
import { listIssues, parseIssueSearch } from "../errors/mod.ts";
import { IssueTable } from "../errors/issue_table.tsx";
import type { IssueSlot } from "../releases/pages/release_page.tsx";
import type { PageScope } from "../releases/request_scope.ts";
import type { Sql } from "../store/database.ts";
import { nullIfSlow } from "../store/query_limits.ts";
import { Nothing } from "../ui/components/table.tsx";
import { issuePath, sectionPath } from "../ui/links.ts";
import { scopedHref } from "../ui/scope.ts";

interface AskedIssues {
  readonly id: string;
  readonly title: string;
  /** As in the search box. */
  readonly query: string;
  /** Only those with events of this release; `""` for all. */
  readonly release: string;
  /** In place of the page's own time. */
  readonly since?: Date;
  /** In place of an empty list. */
  readonly none: string;
}

const MAX_ISSUES = 10;

/** The issues that a search finds within the time and environment of a page. */
export async function issueSlot(
  sql: Sql,
  { project, scope, interval }: PageScope,
  { id, title, query, release, since, none }: AskedIssues,
): Promise<IssueSlot> {
  const { filter, statuses } = parseIssueSearch(query);
  const releases = release === "" ? [] : [release];
  const found = await nullIfSlow(listIssues(sql, {
    projectId: project.id,
    filter,
    environments: scope.environments,
    releases,
    ...interval,
    ...since && { start: since },
    statuses: statuses ?? ["unresolved", "resolved", "ignored"],
    sort: "events",
    cursor: null,
    limit: MAX_ISSUES,
  }));
  const path = sectionPath(project.id, "issues");
  const range = since === undefined ? scope.range : { start: since, end: null };
  const href = scopedHref(path, { ...scope, releases, range }, { query, status: "all" });
  const issueHref = (issueId: string) =>
    scopedHref(issuePath(project.id, issueId), { ...scope, releases: [] });
  return {
    id,
    title,
    href: found?.rows.length === 0 ? null : href,
    none: found?.rows.length === 0 ? none : null,
    list: found === null || found.rows.length === 0
      ? (
        <Nothing>
          {found === null ? t("The search took too long: choose a shorter time.") : `${none}.`}
        </Nothing>
      )
      : (
        <IssueTable
          slug={project.slug}
          issues={found.rows}
          team={null}
          sort="events"
          sortHref={() => href}
          issueHref={issueHref}
          isSelectable={false}
          showsStatus
        />
      ),
  };
}

/** The issues of these ids, whatever the time of the page. */
export async function slotOfIds(
  sql: Sql,
  pageScope: PageScope,
  ids: readonly string[],
  asked: Omit<AskedIssues, "query" | "release">,
): Promise<IssueSlot> {
  if (ids.length > 0) {
    return await issueSlot(sql, pageScope, {
      ...asked,
      query: `issue.id:[${ids.join(",")}]`,
      release: "",
    });
  }
  const { id, title, none } = asked;
  return {
    id,
    title,
    href: null,
    none,
    list: <Nothing>{none}.</Nothing>,
  };
}

/** A value of the search as a text in quotes. */
export function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
