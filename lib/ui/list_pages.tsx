import { Pagination } from "./components/pagination.tsx";
import { formatExact } from "./format.ts";
import { type ListPage, PAGE_SIZE } from "./sorting.ts";

export interface ListPagesProps {
  readonly list: ListPage<unknown>;
  /** Plural, as `transactions`. */
  readonly unit: string;
  readonly hrefOf: (page: string | null) => string;
}

/** `Showing 1–50 of 1,234 transactions`, and the way to the other pages. */
export function ListPages({ list: { rows, total, page, pages }, unit, hrefOf }: ListPagesProps) {
  const first = (page - 1) * PAGE_SIZE + 1;
  return (
    <div class="border-t border-line">
      <Pagination
        label={`Pages of ${unit}`}
        summary={`Showing ${formatExact(first)}–${formatExact(first + rows.length - 1)} of ${
          formatExact(total)
        } ${unit}`}
        previousHref={page > 1 ? hrefOf(page === 2 ? null : String(page - 1)) : null}
        nextHref={page < pages ? hrefOf(String(page + 1)) : null}
      />
    </div>
  );
}
