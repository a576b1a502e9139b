import IssueListKeys from "../../islands/IssueListKeys.tsx";
import IssueSearchAssist from "../../islands/IssueSearchAssist.tsx";
import { type Role, roleAllows } from "../accounts/members.ts";
import type { Project } from "../accounts/projects.ts";
import { Button, LinkButton, Menu, MENU_ITEM_LOOK } from "../ui/components/button.tsx";
import { CodeBlock } from "../ui/components/code_block.tsx";
import { CONTROL_LOOK, HiddenFields } from "../ui/components/fields.tsx";
import { classes, Icon } from "../ui/components/icon.tsx";
import { Tabs } from "../ui/components/page.tsx";
import { Alert, EmptyState } from "../ui/components/panel.tsx";
import { Pagination } from "../ui/components/table.tsx";
import { issuePath, issuesPath, sectionPath } from "../ui/links.ts";
import { isNarrowed, scopedHref, scopeParams } from "../ui/scope.ts";
import { ScopedPage } from "../ui/scoped_page.tsx";
import type { Shell } from "../ui/shell.ts";
import {
  type IssueList,
  issueListHref,
  keptParams,
  PAGE_SIZE,
  STATUS_TABS,
  type StatusTab,
} from "./issue_list.ts";
import { SearchHelp, SearchInput, SearchProblems } from "../ui/search_box.tsx";
import { IssueTable, SortMenu } from "./issue_table.tsx";
import type { IssuePage, IssueSort } from "./issues.ts";
import type { SavedView } from "./saved/load_saved.ts";
import { SavedMenu } from "./saved/menu.tsx";
import { ARCHIVE_CHOICES, AssigneeOptions } from "./workflow/issue_bar.tsx";
import type { ListTeam } from "./workflow/issue_team.ts";
import { PRIORITY_WORDS } from "./workflow/priority_words.ts";
import { PRIORITIES } from "./workflow/state.ts";
import { type Message, message, rich, t } from "../core/language/translate.ts";

export interface IssueListView extends IssueList {
  readonly shell: Shell;
  readonly project: Project;
  readonly role: Role;
  readonly team: ListTeam;
  readonly saved: SavedView;
  /** What a project of its platform begins with: name of the SDK, and where it sends. Null: something came in. */
  readonly first: FirstSteps | null;
}

interface FirstSteps {
  readonly sdk: string;
  readonly dsn: string;
}

const TAB_NAMES: Record<StatusTab, Message> = {
  unresolved: message("Unresolved"),
  for_review: message("For review"),
  assigned: message("Assigned to me"),
  resolved: message("Resolved@@issues"),
  ignored: message("Archived"),
  all: message("All"),
};

/** The project's issues: tabs by status, search, and the table with what can be done. */
export function IssueListPage(view: IssueListView) {
  const { project, scope, params, counts } = view;
  const path = issuesPath(project.id);
  return (
    <ScopedPage
      view={view}
      section="issues"
      crumbs={[{ label: project.name, href: path }, { label: t("Issues") }]}
      path={path}
      keep={keptParams(params)}
    >
      <h1 class="sr-only">{t("Issues of {name}", { name: project.name })}</h1>
      <div class="flex items-start gap-1.5">
        <SearchBox view={view} path={path} />
        <SavedMenu view={view} path={path} />
      </div>
      <div class="mt-3 rounded-lg border border-line bg-surface">
        <Tabs
          label={t("Status")}
          tabs={STATUS_TABS.map((tab) => ({
            href: issueListHref(path, scope, params, { tab }),
            label: t(TAB_NAMES[tab]),
            isCurrent: tab === params.tab,
            count: counts?.[tab] ?? null,
          }))}
        />
        <List view={view} path={path} />
      </div>
    </ScopedPage>
  );
}

interface PartProps {
  readonly view: IssueListView;
  /** Of the page. */
  readonly path: string;
}

function List({ view, path }: PartProps) {
  const { project, role, scope, params, issues } = view;
  if (issues === null) {
    return (
      <div class="p-4">
        <Alert kind="warning" title={t("The search took too long")}>
          {t("Choose a shorter time, or search for less.")}
        </Alert>
      </div>
    );
  }
  if (view.first !== null) return <NoEventsYet project={project} {...view.first} />;
  if (issues.rows.length === 0) return <NoMatch view={view} path={path} />;
  const isWritable = roleAllows(role, "issue:write");
  const sortHref = (sort: IssueSort) => issueListHref(path, scope, params, { sort });
  const content = (
    <>
      <div class="flex flex-wrap items-center gap-2 border-b border-line bg-canvas px-3 py-1.5">
        <IssueListKeys isSelectable={isWritable} />
        {isWritable && <BulkBar tab={params.tab} team={view.team} />}
        <p class="ml-auto hidden text-meta text-muted lg:scripted:block">
          {isWritable
            ? rich(
              "<j>j</j> <k>k</k> move · <x>x</x> choose · <r>r</r> resolve · <o>o</o> open · <slash>/</slash> search",
              { j: key, k: key, x: key, r: key, o: key, slash: key },
            )
            : rich("<j>j</j> <k>k</k> move · <o>o</o> open · <slash>/</slash> search", {
              j: key,
              k: key,
              o: key,
              slash: key,
            })}
        </p>
        <SortMenu sort={params.sort} sortHref={sortHref} />
      </div>
      <IssueTable
        issues={issues.rows}
        slug={project.slug}
        team={view.team}
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
      <Paging view={view} issues={issues} path={path} />
    </>
  );
}

function key(name: string) {
  return <kbd>{name}</kbd>;
}

function Paging({ view, issues, path }: PartProps & { readonly issues: IssuePage }) {
  const { scope, params, counts } = view;
  const total = counts?.[params.tab];
  const last = params.from + issues.rows.length - 1;
  // Rows come and go while one reads: never claim more than there are.
  const summary = total === undefined
    ? t("Showing {n}", { n: issues.rows.length })
    : last <= total
    ? t("Showing {from}–{last} of {total}", { from: params.from, last, total })
    : t("Showing {n} of {total}", { n: issues.rows.length, total });
  return (
    <div class="border-t border-line">
      <Pagination
        label={t("Pages of issues")}
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

const INPUT_ID = "issue-search";
const PROBLEMS_ID = "issue-search-problems";

/** Search by words and `key:value`, with completion, help, and what was not understood below. */
function SearchBox({ view: { scope, params, problems, keys }, path }: PartProps) {
  const { query: _, ...keep } = keptParams(params);
  return (
    <div class="min-w-0 flex-1">
      <form action={path} role="search" class="flex gap-1.5">
        <HiddenFields pairs={[...scopeParams(scope), ...Object.entries(keep)]} />
        <SearchInput
          id={INPUT_ID}
          query={params.query}
          label={t("Search issues")}
          placeholder={t("Words, key:value, or an event id")}
          problems={problems}
          problemsId={PROBLEMS_ID}
        >
          <IssueSearchAssist
            inputId={INPUT_ID}
            keys={[...keys]}
            completionsPath={`${path}/completions`}
          />
        </SearchInput>
        <Button>{t("Search")}</Button>
        <SearchHelp examples={EXAMPLES.map(([search, meaning]) => [search, t(meaning)])}>
          {t("The id of an event or an issue leads straight to it.")}
        </SearchHelp>
      </form>
      <SearchProblems id={PROBLEMS_ID} query={params.query} problems={problems} />
    </div>
  );
}

const EXAMPLES: readonly (readonly [search: string, meaning: Message])[] = [
  ["connection refused", message("these words, in title or culprit")],
  ['"timeout" "checkout"', message("both, wherever they stand")],
  ["browser:[Chrome, Fire*]", message("any of these; * stands for anything")],
  ["!environment:staging", message("not seen there")],
  ["level:fatal OR (is:unhandled os:iOS)", message("either")],
  ["has:user", message("any value of a tag")],
  ["is:unhandled", message("or handled, new, regressed, escalating, archived, for_review")],
  ["assigned:[me, my_teams, none]", message("or #team, an email, a name")],
  ["issue.priority:high", message("or medium, low")],
  ["user.email:ann@example.com", message("or only the address; user.id, user.ip")],
  ["error.type:TypeError", message("or error.value, error.mechanism")],
  ["level:fatal", message("or error, warning, info, debug")],
  ["timesSeen:>1k", message("usersSeen works alike")],
  ["firstSeen:-24h", message("within the last day; +7d is longer ago")],
  ["release.version:>=1.2", message("or release:latest, firstRelease:2.0")],
];

/** What can be done with the chosen rows of the list; the form around the table sends it. */
function BulkBar({ tab, team }: { readonly tab: StatusTab; readonly team: ListTeam }) {
  return (
    <div class="flex flex-wrap gap-2 max-sm:order-1 max-sm:w-full">
      {tab === "for_review" && (
        <Button size="sm" icon="inbox" name="action" value="review">{t("Mark reviewed")}</Button>
      )}
      {tab !== "resolved" && (
        <>
          <Button size="sm" icon="check" name="action" value="resolve" data-key="r">
            {t("Resolve")}
          </Button>
          <Button size="sm" name="action" value="resolve-next">{t("In next release")}</Button>
        </>
      )}
      {tab !== "ignored" && (
        <Menu
          button={
            <>
              <Icon name="ignored" />
              {t("Archive")}
              <Icon name="chevron-down" />
            </>
          }
          buttonClass="flex h-7 cursor-pointer items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2 text-sm font-medium hover:bg-hover"
          panelClass="w-64"
        >
          {ARCHIVE_CHOICES.map(([until, label]) => (
            <button
              type="submit"
              key={until}
              name="action"
              value={`archive-${until}`}
              class={MENU_ITEM_LOOK}
            >
              {t(label)}
            </button>
          ))}
        </Menu>
      )}
      {["resolved", "ignored", "all"].includes(tab) && (
        <Button size="sm" icon="issues" name="action" value="unresolve" data-key="u">
          {t("Unresolve")}
        </Button>
      )}
      <Menu
        button={
          <>
            <Icon name="members" />
            {t("Assign")}
            <Icon name="chevron-down" />
          </>
        }
        buttonClass="flex h-7 cursor-pointer items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2 text-sm font-medium hover:bg-hover"
        panelClass="w-72"
      >
        <div class="flex gap-2 p-1">
          <select
            name="assignee"
            aria-label={t("Assignee")}
            class={classes(CONTROL_LOOK, "min-w-0")}
          >
            <option value="">{t("Unassigned")}</option>
            <AssigneeOptions assignees={team.assignees} />
          </select>
          <Button name="action" value="assign">{t("Assign")}</Button>
        </div>
        <div class="flex gap-2 p-1">
          <select
            name="priority"
            aria-label={t("Priority")}
            class={classes(CONTROL_LOOK, "min-w-0")}
          >
            {PRIORITIES.map((priority) => (
              <option key={priority} value={priority}>
                {t(PRIORITY_WORDS[priority].title)}
              </option>
            ))}
          </select>
          <Button name="action" value="priority">{t("Set")}</Button>
        </div>
      </Menu>
      <Button size="sm" icon="merge" name="action" value="merge">{t("Merge")}</Button>
    </div>
  );
}

/** Nothing was ever received: the three steps that change that. */
function NoEventsYet(
  { project, sdk, dsn }: FirstSteps & { readonly project: Pick<Project, "id" | "name"> },
) {
  return (
    <EmptyState
      title={t("No errors yet")}
      actions={
        <LinkButton href={sectionPath(project.id, "setup")} kind="primary" icon="setup">
          {t("Open Setup")}
        </LinkButton>
      }
    >
      <p>
        {t("Nothing has been received for {name} so far. Three steps to the first one:", {
          name: project.name,
        })}
      </p>
      <ol class="mt-3 inline-block list-decimal space-y-1 pl-5 text-left text-ink">
        <li>
          {rich("Install {sdk}, or any other Sentry SDK.", {
            sdk: <code class="text-sm">{sdk}</code>,
          })}
        </li>
        <li>
          {t("Give it the DSN of this project:")}
          <div class="mt-1">
            <CodeBlock id="first-dsn" label="DSN" code={dsn} />
          </div>
        </li>
        <li>{t("Throw an error. It is listed here within two seconds.")}</li>
      </ol>
    </EmptyState>
  );
}

const NOTHING_IN: Record<StatusTab, Message> = {
  unresolved: message("No unresolved issues here"),
  for_review: message("Nothing to review: everything new has been looked at"),
  assigned: message("Nothing is assigned to you or your teams"),
  resolved: message("No resolved issues here"),
  ignored: message("No archived issues here"),
  all: message("No issues here"),
};

/** There are issues, but none under this tab, search and scope: the ways to see more. */
function NoMatch({ view: { scope, params, problems }, path }: PartProps) {
  const isSearch = params.query !== "";
  const everywhere = { ...scope, environments: [], releases: [] };
  return (
    <EmptyState
      icon={isSearch ? "search" : "ok"}
      title={isSearch ? t("No issue matches") : t(NOTHING_IN[params.tab])}
      actions={
        <>
          {isSearch && (
            <LinkButton href={issueListHref(path, scope, params, { query: "" })}>
              {t("Clear the search")}
            </LinkButton>
          )}
          {isNarrowed(scope) && (
            <LinkButton href={issueListHref(path, everywhere, params)}>
              {t("All environments and releases")}
            </LinkButton>
          )}
          {scope.range !== "30d" && (
            <LinkButton href={issueListHref(path, { ...scope, range: "30d" }, params)}>
              {t("Last 30 days")}
            </LinkButton>
          )}
          {params.tab !== "all" && (
            <LinkButton href={issueListHref(path, scope, params, { tab: "all" })}>
              {t("Issues of any status")}
            </LinkButton>
          )}
        </>
      }
    >
      <p>
        {problems.length > 0
          ? t("Something in the search is off; below the search box it says what.")
          : t("Nothing was seen in the chosen time, environments and releases that fits.")}
      </p>
    </EmptyState>
  );
}
