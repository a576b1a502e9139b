import { type Role, roleAllows } from "../../accounts/members.ts";
import type { ComponentChildren } from "preact";
import { Button, Menu, MENU_ITEM_LOOK } from "../../ui/components/button.tsx";
import { Checkbox, Field } from "../../ui/components/fields.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { visible } from "../../ui/json.ts";
import { scopedHref } from "../../ui/scope.ts";
import { type IssueList, issueListHref, searchHref, wordsOf } from "../issue_list.ts";
import type { SavedView } from "./load_saved.ts";
import { searchesPath } from "./page.tsx";
import { MAX_NAME, type SearchContent } from "./saved_searches.ts";
import { t } from "../../core/language/translate.ts";

interface SavedMenuProps {
  readonly view: Pick<IssueList, "scope" | "params"> & {
    readonly project: { readonly id: string };
    readonly role: Role;
    readonly saved: SavedView;
  };
  /** Of the list. */
  readonly path: string;
}

/** The searches that somebody has kept, those of late, and what can be done with the one that is shown. */
export function SavedMenu({ view, path }: SavedMenuProps) {
  const { scope, params, project, role, saved: { searches, recent } } = view;
  const href = (search: SearchContent) => searchHref(path, scope, search);
  return (
    <Menu
      align="right"
      label={t("Saved searches")}
      buttonClass="flex h-9 cursor-pointer items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2.5 text-sm font-medium hover:bg-hover"
      panelClass="w-80 max-w-[calc(100vw-2rem)]"
      button={
        <>
          <span class="max-sm:sr-only">{t("Saved")}</span>
          <Icon name="chevron-down" />
        </>
      }
    >
      {searches.length === 0
        ? <p class="px-2 py-1.5 text-sm text-muted">{t("No search is saved yet.")}</p>
        : (
          <List label={t("Saved searches")}>
            {searches.map((search) => (
              <li key={search.id}>
                <a href={href(search)} class={MENU_ITEM_LOOK} title={visible(search.query)}>
                  <bdi class="min-w-0 flex-1 truncate">{visible(search.name)}</bdi>
                  {search.isShared && <span class="text-meta text-muted">{t("shared")}</span>}
                </a>
              </li>
            ))}
          </List>
        )}
      {recent.length > 0 && (
        <List label={t("Recent searches")} isLabelled>
          {recent.map(({ id, query }) => (
            <li key={id}>
              <a
                href={issueListHref(path, scope, params, { query })}
                class={MENU_ITEM_LOOK}
                title={visible(query)}
              >
                <bdi class="min-w-0 flex-1 truncate font-mono text-sm">{visible(query)}</bdi>
              </a>
            </li>
          ))}
        </List>
      )}
      {roleAllows(role, "issue:write") && <Keep view={view} path={path} />}
      <a
        href={scopedHref(searchesPath(project.id), scope)}
        class={`${MENU_ITEM_LOOK} border-t border-line`}
      >
        {t("Rename, change and delete")}
      </a>
    </Menu>
  );
}

interface ListProps {
  readonly label: string;
  /** Whether its name is seen. @default false */
  readonly isLabelled?: boolean;
  readonly children: ComponentChildren;
}

function List({ label, isLabelled = false, children }: ListProps) {
  return (
    <>
      {isLabelled && <p class="mt-1 border-t border-line px-2 pt-2 text-meta text-muted">{label}
      </p>}
      <ul aria-label={label} class="max-h-64 overflow-y-auto">{children}</ul>
    </>
  );
}

/** Saves what the list shows, and makes it what the list begins with. */
function Keep({ view, path }: SavedMenuProps) {
  const { scope, params, project, saved: { pin } } = view;
  const query = wordsOf(params);
  const isPinned = pin !== null && pin.query === query && pin.sort === params.sort;
  return (
    <form
      method="post"
      action={searchesPath(project.id)}
      class="mt-1 space-y-2 border-t border-line p-2"
    >
      <input type="hidden" name="query" value={query} />
      <input type="hidden" name="sort" value={params.sort} />
      <input type="hidden" name="back" value={issueListHref(path, scope, params)} />
      <Field
        name="name"
        idPrefix="save"
        label={t("Save this search as")}
        maxLength={MAX_NAME}
        placeholder={t("What it finds")}
        help={query === "" ? t("All issues") : <code class="break-words">{visible(query)}</code>}
      />
      <Checkbox
        name="isShared"
        label={t("Everybody in the organization sees it")}
        isChecked={false}
      />
      <div class="flex flex-wrap gap-2">
        <Button size="sm" kind="primary" name="action" value="save">{t("Save")}</Button>
        {isPinned
          ? <Button size="sm" name="action" value="unpin">{t("Begin with all unresolved")}</Button>
          : <Button size="sm" name="action" value="pin">{t("Begin the list with it")}</Button>}
      </div>
    </form>
  );
}
