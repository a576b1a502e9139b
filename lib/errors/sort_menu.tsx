import { Icon } from "../ui/components/icon.tsx";
import { Menu, MENU_ITEM_LOOK } from "../ui/components/menu.tsx";
import { ISSUE_SORTS, type IssueSort } from "./list_params.ts";

/** Names of the orders; the headers of the table say the same. */
export const SORT_NAMES: Record<IssueSort, string> = {
  last_seen: "Last seen",
  first_seen: "First seen",
  events: "Events",
  users: "Users",
};

export interface SortMenuProps {
  readonly sort: IssueSort;
  readonly sortHref: (sort: IssueSort) => string;
}

/** Sorting where the window is too narrow for the headers that sort. */
export function SortMenu({ sort, sortHref }: SortMenuProps) {
  return (
    <Menu
      class="ml-auto lg:hidden"
      label={`Sort: ${SORT_NAMES[sort]}`}
      align="right"
      buttonClass="inline-flex h-7 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2 text-sm hover:bg-hover"
      button={
        <>
          <Icon name="sort-down" size={14} class="text-muted" />
          {SORT_NAMES[sort]}
        </>
      }
    >
      <ul>
        {ISSUE_SORTS.map((each) => (
          <li key={each}>
            <a
              href={sortHref(each)}
              aria-current={each === sort ? "true" : undefined}
              class={MENU_ITEM_LOOK}
            >
              <span class="flex-1">{SORT_NAMES[each]}</span>
              {each === sort && <Icon name="check" size={14} class="text-accent" />}
            </a>
          </li>
        ))}
      </ul>
    </Menu>
  );
}
