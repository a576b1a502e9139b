import IssueListKeys from "../../islands/IssueListKeys.tsx";
import IssueSearchAssist from "../../islands/IssueSearchAssist.tsx";
import { type Role, roleAllows } from "../accounts/members.ts";
import type { Project } from "../accounts/projects.ts";
import { Button, LinkButton, Menu } from "../ui/components/button.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { Tabs } from "../ui/components/page.tsx";
import { EmptyState } from "../ui/components/panel.tsx";
import { Pagination } from "../ui/components/table.tsx";
import { formatExact } from "../ui/format.ts";
import { issuePath, issuesPath, sectionPath } from "../ui/links.ts";
import { isNarrowed, type Scope, scopedHref, scopeParams } from "../ui/scope.ts";
import { ScopedPage } from "../ui/scoped_page.tsx";
import type { Shell } from "../ui/shell.ts";
import {
  type IssueList,
  issueListHref,
  type IssueListParams,
  keptParams,
  PAGE_SIZE,
  STATUS_TABS,
  type StatusTab,
} from "./issue_list.ts";
import type { SearchProblem } from "./issue_search.ts";
import { IssueTable, SortMenu } from "./issue_table.tsx";
import type { IssueSort } from "./issues.ts";

export interface IssueListView extends IssueList {
  readonly shell: Shell;
  readonly project: Project;
  readonly role: Role;
  /** Name of the SDK that a project of its platform begins with. */
  readonly sdk: string;
}

const TAB_NAMES: Record<StatusTab, string> = {
  unresolved: "Unresolved",
  resolved: "Resolved",
  ignored: "Ignored",
  all: "All",
};

/** The project's issues: tabs by status, search, and the table with what can be done. */
export function IssueListPage(view: IssueListView) {
  const { project, scope, params, counts, problems, keys } = view;
  const path = issuesPath(project.id);
  const kept = keptParams(params);
  const { query: _, ...keptBySearch } = kept;
  return (
    <ScopedPage
      view={view}
      section="issues"
      crumbs={[{ label: project.name, href: path }, { label: "Issues" }]}
      path={path}
      keep={kept}
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
    </ScopedPage>
  );
}

function List({ view, path }: { readonly view: IssueListView; readonly path: string }) {
  const { project, role, scope, params, issues, hasEvents } = view;
  if (!hasEvents) return <NoEventsYet project={project} sdk={view.sdk} />;
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

interface SearchBoxProps {
  /** Path of the page that is searched. */
  readonly path: string;
  readonly scope: Scope;
  /** Parameters to keep beside scope and search. */
  readonly keep: Readonly<Record<string, string>>;
  readonly query: string;
  readonly problems: readonly SearchProblem[];
  /** Keys that can be searched for, for completion. */
  readonly keys: readonly string[];
  /** Address that answers with the values of a key. */
  readonly completionsPath: string;
}

const INPUT_ID = "issue-search";
const PROBLEMS_ID = "issue-search-problems";

/** Search by words and `key:value`, with completion, help, and what was not understood below. */
function SearchBox(props: SearchBoxProps) {
  const { path, scope, keep, query, problems, keys, completionsPath } = props;
  const hidden = [...scopeParams(scope), ...Object.entries(keep)];
  return (
    <div class="min-w-0 flex-1">
      <form action={path} role="search" class="flex gap-1.5">
        {hidden.map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
        <div class="relative min-w-0 flex-1">
          <Icon
            name="search"
            class="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
          />
          <input
            id={INPUT_ID}
            type="search"
            name="query"
            value={query}
            maxLength={1000}
            aria-label="Search issues"
            aria-invalid={problems.length > 0 ? "true" : undefined}
            aria-describedby={problems.length > 0 ? PROBLEMS_ID : undefined}
            placeholder="Words, key:value, or an event id"
            autocomplete="off"
            spellcheck={false}
            class="h-9 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 font-mono text-sm aria-invalid:border-danger"
          />
          <IssueSearchAssist
            inputId={INPUT_ID}
            keys={[...keys]}
            completionsPath={completionsPath}
          />
        </div>
        <Button>Search</Button>
        <SearchHelp />
      </form>
      {problems.length > 0 && (
        <ul id={PROBLEMS_ID} class="mt-1 text-sm text-danger">
          {problems.map(({ part, reason }, index) => (
            <li key={index}>
              <code class="underline decoration-wavy">{part}</code>: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const EXAMPLES: readonly (readonly [search: string, meaning: string])[] = [
  ["timeout checkout", "both words, in title or culprit"],
  ['"connection refused"', "exactly these words"],
  ["browser:Firefox*", "by tag; * stands for anything"],
  ["!environment:staging", "not seen there"],
  ["has:user", "any value of a tag"],
  ["is:unhandled", "or handled, regressed, resolved, ignored"],
  ["user.email:ann@example.com", "or only the address; user.id, user.ip"],
  ["error.type:TypeError", "or error.value, error.mechanism"],
  ["level:fatal", "or error, warning, info, debug"],
  ["timesSeen:>100", "usersSeen works alike"],
  ["firstSeen:-24h", "within the last day; +7d is longer ago"],
];

function SearchHelp() {
  return (
    <Menu
      label="Search help"
      align="right"
      buttonClass="flex h-9 items-center rounded-md border border-line-strong px-2.5 text-muted hover:bg-hover"
      button={<span aria-hidden="true">?</span>}
      panelClass="w-84 max-w-[calc(100vw-2rem)] p-3"
    >
      <table class="w-full text-sm" aria-label="Examples of searches">
        <tbody>
          {EXAMPLES.map(([search, meaning]) => (
            <tr key={search} class="align-top">
              <td class="py-0.5 pr-3">
                <code class="text-meta">{search}</code>
              </td>
              <td class="py-0.5 text-muted">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="mt-2 text-sm text-muted">The id of an event or an issue leads straight to it.</p>
    </Menu>
  );
}

/** What can be done with the chosen rows of the list; the form around the table sends it. */
function BulkBar({ tab }: { readonly tab: StatusTab }) {
  return (
    <div class="flex flex-wrap gap-2 max-sm:order-1 max-sm:w-full">
      {tab !== "resolved" && (
        <Button size="sm" icon="check" name="action" value="resolve">Resolve</Button>
      )}
      {tab !== "ignored" && (
        <Button size="sm" icon="ignored" name="action" value="ignore">Ignore</Button>
      )}
      {tab !== "unresolved" && (
        <Button size="sm" icon="issues" name="action" value="unresolve">Unresolve</Button>
      )}
      <Button size="sm" icon="merge" name="action" value="merge">Merge</Button>
    </div>
  );
}

/** Nothing was ever received: the three steps that change that. */
function NoEventsYet({ project, sdk }: Pick<IssueListView, "project" | "sdk">) {
  return (
    <EmptyState
      title="No errors yet"
      actions={
        <LinkButton href={sectionPath(project.id, "setup")} kind="primary" icon="setup">
          Open Setup
        </LinkButton>
      }
    >
      <p>Nothing has been received for {project.name} so far. Three steps to the first one:</p>
      <ol class="mt-3 inline-block list-decimal space-y-1 pl-5 text-left text-ink">
        <li>
          Install <code class="text-sm">{sdk}</code>, or any other Sentry SDK.
        </li>
        <li>Give it the DSN of this project; Setup has it ready to copy.</li>
        <li>Throw an error. It is listed here within two seconds.</li>
      </ol>
    </EmptyState>
  );
}

interface NoMatchProps {
  readonly path: string;
  readonly scope: Scope;
  readonly params: IssueListParams;
}

/** There are issues, but none under this tab, search and scope: the ways to see more. */
function NoMatch({ path, scope, params }: NoMatchProps) {
  const isSearch = params.query !== "";
  const everywhere = { ...scope, environments: [], releases: [] };
  return (
    <EmptyState
      icon={isSearch ? "search" : "ok"}
      title={isSearch
        ? "No issue matches"
        : `No ${params.tab === "all" ? "" : params.tab} issues here`}
      actions={
        <>
          {isSearch && (
            <LinkButton href={issueListHref(path, scope, params, { query: "" })}>
              Clear the search
            </LinkButton>
          )}
          {isNarrowed(scope) && (
            <LinkButton href={issueListHref(path, everywhere, params)}>
              All environments and releases
            </LinkButton>
          )}
          {scope.range !== "30d" && (
            <LinkButton href={issueListHref(path, { ...scope, range: "30d" }, params)}>
              Last 30 days
            </LinkButton>
          )}
          {params.tab !== "all" && (
            <LinkButton href={issueListHref(path, scope, params, { tab: "all" })}>
              Issues of any status
            </LinkButton>
          )}
        </>
      }
    >
      <p>Nothing was seen in the chosen time, environments and releases that fits.</p>
    </EmptyState>
  );
}
