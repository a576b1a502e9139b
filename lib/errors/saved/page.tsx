import { type Role, roleAllows } from "../../accounts/members.ts";
import type { Project } from "../../accounts/projects.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { Checkbox, Field, Select } from "../../ui/components/fields.tsx";
import { Page, PageHeader } from "../../ui/components/page.tsx";
import { Alert, EmptyState, Panel } from "../../ui/components/panel.tsx";
import { visible } from "../../ui/json.ts";
import { issuesPath } from "../../ui/links.ts";
import { EVERYTHING } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import { SORT_NAMES } from "../issue_table.tsx";
import { searchHref } from "../issue_list.ts";
import { ISSUE_SORTS } from "../issues.ts";
import type { SavedView } from "./load_saved.ts";
import { MAX_NAME, MAX_QUERY, type SavedSearch } from "./saved_searches.ts";
import { rich, t } from "../../core/language/translate.ts";

export interface SearchesView {
  readonly shell: Shell;
  readonly project: Project;
  readonly role: Role;
  readonly userId: string | null;
  readonly saved: SavedView;
  /** What was wrong with a form, or null. */
  readonly error: string | null;
}

/** `/projects/1/issues/searches` */
export function searchesPath(projectId: string): string {
  return `${issuesPath(projectId)}/searches`;
}

/** The saved searches, to be renamed, changed, shared, deleted, and made what the list begins with. */
export function SearchesPage(view: SearchesView) {
  const { shell, project, saved: { searches }, error } = view;
  const list = issuesPath(project.id);
  return (
    <Page
      shell={shell}
      section="issues"
      crumbs={[
        { label: project.name, href: list },
        { label: t("Issues"), href: list },
        { label: t("Saved searches") },
      ]}
    >
      <PageHeader title={t("Saved searches")} />
      {error !== null && <Alert kind="danger" isLive class="mb-4">{error}</Alert>}
      <Pin {...view} />
      {searches.length === 0
        ? (
          <Panel flush>
            <EmptyState
              icon="search"
              title={t("No search is saved yet")}
              actions={<LinkButton href={list}>{t("To the issues")}</LinkButton>}
            >
              {rich(
                "Search for issues, open <em>Saved</em> beside the search box, and give the search a name.",
                { em: (words) => <em>{words}</em> },
              )}
            </EmptyState>
          </Panel>
        )
        : (
          <div class="space-y-4">
            {searches.map((search) => <Search key={search.id} view={view} search={search} />)}
          </div>
        )}
    </Page>
  );
}

/** What the list begins with, when somebody has chosen that. */
function Pin({ project, saved: { pin } }: SearchesView) {
  if (pin === null) return null;
  return (
    <form method="post" class="mb-4 flex flex-wrap items-center gap-2 text-sm">
      <span class="min-w-0">
        {rich("Your list of issues begins with {query}, by {order}.", {
          query: (
            <a class="link font-mono" href={searchHref(issuesPath(project.id), EVERYTHING, pin)}>
              <bdi>{pin.query === "" ? t("all issues") : visible(pin.query)}</bdi>
            </a>
          ),
          order: t(SORT_NAMES[pin.sort]).toLowerCase(),
        })}
      </span>
      <Button size="sm" name="action" value="unpin">{t("Begin with all unresolved")}</Button>
    </form>
  );
}

interface SearchProps {
  readonly view: SearchesView;
  readonly search: SavedSearch;
}

function Search({ view: { project, role, userId }, search }: SearchProps) {
  const { id, name, query, sort, ownerId, isShared } = search;
  const isOwn = ownerId === userId;
  const mayChange = roleAllows(role, "issue:write") &&
    (isOwn || roleAllows(role, "project:write"));
  const orders = ISSUE_SORTS.map((each) => ({ value: each, label: t(SORT_NAMES[each]) }));
  return (
    <Panel
      id={`search-${id}`}
      title={
        <a class="link" href={searchHref(issuesPath(project.id), EVERYTHING, search)}>
          <bdi>{visible(name)}</bdi>
        </a>
      }
      actions={isShared && <Badge>{isOwn ? t("shared by you") : t("shared")}</Badge>}
    >
      {mayChange
        ? (
          <form method="post" class="space-y-3">
            <input type="hidden" name="search" value={id} />
            <div class="grid gap-3 sm:grid-cols-[1fr_2fr_auto]">
              <Field
                name="name"
                idPrefix={id}
                label={t("Name@@thing")}
                value={name}
                required
                maxLength={MAX_NAME}
              />
              <Field
                name="query"
                idPrefix={id}
                label={t("Search")}
                value={query}
                maxLength={MAX_QUERY}
                mono
              />
              <Select name="sort" idPrefix={id} label={t("Order")} value={sort} options={orders} />
            </div>
            <Checkbox
              name="isShared"
              label={t("Everybody in the organization sees it")}
              isChecked={isShared}
            />
            <div class="flex flex-wrap gap-2">
              <Button kind="primary" name="action" value="change">{t("Save")}</Button>
              <Button name="action" value="pin">{t("Begin the list with it")}</Button>
              <Button name="action" value="delete">{t("Delete")}</Button>
            </div>
          </form>
        )
        : <code class="text-sm break-words">{query === "" ? t("All issues") : visible(query)}
        </code>}
    </Panel>
  );
}
