import type { ComponentChildren } from "preact";
import { ListPages, type ListPagesProps } from "./list_pages.tsx";

export interface ListBoxProps extends ListPagesProps {
  /** In place of an empty list. */
  readonly none: ComponentChildren;
  /** There is more than was read. */
  readonly isCut: boolean;
  /** The table. */
  readonly children: ComponentChildren;
}

/** A list with its pages, or why it is empty. */
export function ListBox({ list, unit, hrefOf, none, isCut, children }: ListBoxProps) {
  return (
    <>
      <div class="mt-3 rounded-lg border border-line bg-surface">
        {list.total === 0 ? none : (
          <>
            {children}
            <ListPages list={list} unit={unit} hrefOf={hrefOf} />
          </>
        )}
      </div>
      {isCut && (
        <p class="mt-2 text-sm text-muted">
          There are more {unit} than this: only those that take the most time are listed.
        </p>
      )}
    </>
  );
}
