import IssueListKeys from "../../islands/IssueListKeys.tsx";
import type { Project } from "../accounts/projects.ts";
import { type Role, roleAllows } from "../accounts/roles.ts";
import { Page } from "../ui/components/page.tsx";
import { Pagination } from "../ui/components/pagination.tsx";
import { Tabs } from "../ui/components/tabs.tsx";
import { formatExact } from "../ui/format.ts";
import { scopedHref } from "../ui/scope.ts";
import { ScopePickers } from "../ui/scope_pickers.tsx";
import type { Shell } from "../ui/shell.ts";
import { BulkBar } from "./bulk_bar.tsx";
import { NoEventsYet, NoMatch } from "./empty_lists.tsx";
import { IssueTable } from "./issue_table.tsx";
import {
  issueListHref,
  type IssueSort,
  keptParams,
  PAGE_SIZE,
  STATUS_TABS,
  type StatusTab,
} from "./list_params.ts";
import type { IssueList } from "./load_issue_list.ts";
import { issuePath, issuesPath } from "../ui/links_issues.ts";
import { SortMenu } from "./sort_menu.tsx";
import { SearchBox } from "./issue_search_box.tsx";

export interface IssueListView extends IssueList {
  readonly shell: Shell;
  readonly project: Project;
  readonly role: Role;
}

const TAB_NAMES: Record<StatusTab, string> = {
  unresolved: "Unresolved",
  resolved: "Resolved",
  ignored: "Ignored",
  all: "All",
};

/** The project's issues: tabs by status, search, and the table with what can be done. */
export function IssueListPage(view: IssueListView) {
  const { shell, project, scope, params, counts, problems, keys } = view;
  const path = issuesPath(project.id);
  const kept = keptParams(params);
  const { query: _, ...keptBySearch } = kept;
  return (
    <Page
      shell={shell}
      section="issues"
      crumbs={[{ label: project.name, href: path }, { label: "Issues" }]}
      scopeSearch={scopedHref("", scope)}
      scope={
        <ScopePickers
          scope={scope}
          path={path}
          keep={kept}
          environments={view.environments}
          releases={view.releases}
        />
      }
    >
      <h1 class="sr-only">Issues of {project.name}</h1>
      <SearchBox
        path={path}
        scope={scope}
        keep={keptBySearch}
        query={params.query}
        problems={problems}
        keys={keys}
        completionsPath={`${path}/completions`}
      />
      <div class="mt-3 rounded-lg border border-line bg-surface">
        <Tabs
          label="Status"
          tabs={STATUS_TABS.map((tab) => ({
            href: issueListHref(path, scope, params, { tab }),
            label: TAB_NAMES[tab],
            isCurrent: tab === params.tab,
            count: counts[tab],
          }))}
        />
        <List view={view} path={path} />
      </div>
    </Page>
  );
}

function List({ view, path }: { readonly view: IssueListView; readonly path: string }) {
  const { project, role, scope, params, issues, hasEvents } = view;
  if (!hasEvents) return <NoEventsYet project={project} />;
  if (issues.rows.length === 0) return <NoMatch path={path} scope={scope} params={params} />;
  const isWritable = roleAllows(role, "issue:write");
  const sortHref = (sort: IssueSort) => issueListHref(path, scope, params, { sort });
  const content = (
    <>
      <div class="flex flex-wrap items-center gap-2 border-b border-line bg-canvas px-3 py-1.5">
        <IssueListKeys isSelectable={isWritable} />
        {isWritable && <BulkBar tab={params.tab} />}
        <p class="ml-auto hidden text-meta text-muted lg:scripted:block">
          <kbd>j</kbd> <kbd>k</kbd> move · {isWritable && (
            <>
              <kbd>x</kbd> choose ·{" "}
            </>
          )}
          <kbd>o</kbd> open · <kbd>/</kbd> search
        </p>
        <SortMenu sort={params.sort} sortHref={sortHref} />
      </div>
      <IssueTable
        issues={issues.rows}
        sort={params.sort}
        sortHref={sortHref}
        issueHref={(id) => scopedHref(issuePath(project.id, id), scope)}
        isSelectable={isWritable}
        showsStatus={params.tab === "all"}
      />
    </>
  );
  return (
    <>
      {isWritable ? <form method="post">{content}</form> : content}
      <Paging view={view} path={path} />
    </>
  );
}

function Paging({ view, path }: { readonly view: IssueListView; readonly path: string }) {
  const { scope, params, issues, counts } = view;
  const total = counts[params.tab];
  const last = params.from + issues.rows.length - 1;
  // Rows come and go while one reads: never claim more than there are.
  const summary = last <= total
    ? `Showing ${formatExact(params.from)}–${formatExact(last)} of ${formatExact(total)}`
    : `Showing ${formatExact(issues.rows.length)} of ${formatExact(total)}`;
  return (
    <div class="border-t border-line">
      <Pagination
        label="Pages of issues"
        summary={summary}
        previousHref={issues.previousCursor && issueListHref(path, scope, params, {
          cursor: issues.previousCursor,
          from: Math.max(1, params.from - PAGE_SIZE),
        })}
        nextHref={issues.nextCursor && issueListHref(path, scope, params, {
          cursor: issues.nextCursor,
          from: last + 1,
        })}
      />
    </div>
  );
}
