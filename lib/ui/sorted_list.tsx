import { type Message, t } from "../core/language/translate.ts";
import { HiddenFields } from "./components/fields.tsx";
import type { ComponentChildren } from "preact";
import { Button } from "./components/button.tsx";
import { classes } from "./components/icon.tsx";
import { type Column, Pagination, RowTable, type TableProps } from "./components/table.tsx";
import type { Params } from "./links.ts";
import { paramsOf, type Scope, scopeParams } from "./scope.ts";

/** A column by which a list can be sorted. */
export interface SortColumn<T> {
  /** In the URL: `sort=p95` ascends, `sort=-p95` descends. */
  readonly key: string;
  readonly label: Message;
  /** What rows are sorted by; null goes last. A list is not sorted by a column that has none. */
  readonly value?: (row: T) => number | string | null;
  /** Shown on hover. */
  readonly help?: Message;
  /** Texts stand at the left. @default "left", and of a column that sorts what the value of its first row is */
  readonly align?: "left" | "right";
  /** Of the header and, unless they have their own, of the cells. */
  readonly class?: string;
  readonly cellClass?: string;
}

export interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

/** Reads `sort`; what names no column is as good as absent. */
export function readSorting<T>(
  text: string | null,
  columns: readonly SortColumn<T>[],
  fallback: Sorting,
): Sorting {
  const isDescending = text?.startsWith("-") ?? false;
  const key = isDescending ? text?.slice(1) : text;
  const isKnown = columns.some((column) => column.key === key && column.value !== undefined);
  return isKnown ? { key: key ?? "", isDescending } : fallback;
}

/** As it stands in the URL. */
export function sortingText({ key, isDescending }: Sorting): string {
  return isDescending ? `-${key}` : key;
}

/** Rows in the order that was asked for; those without a value last, equal ones as they came. */
export function sorted<T>(
  rows: readonly T[],
  columns: readonly Pick<SortColumn<T>, "key" | "value">[],
  { key, isDescending }: Sorting,
): T[] {
  const value = columns.find((column) => column.key === key)?.value ?? (() => null);
  const sign = isDescending ? -1 : 1;
  // Quantiles are dear: each once.
  return rows.map((row) => ({ row, by: value(row) })).sort(({ by: one }, { by: other }) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return one === other ? 0 : one < other ? -sign : sign;
  }).map(({ row }) => row);
}

/**
 * The header of a column that sorts: numbers begin with the largest, texts with the first.
 *
 * @param hrefOf leads to the same list in another order
 */
export function sortHeader<T>(
  { key, label, value, help, align, class: extra }: SortColumn<T>,
  sorting: Sorting,
  hrefOf: (sort: string) => string,
  sample: T | undefined,
): Column {
  if (value === undefined) {
    return {
      label: t(label),
      align: align ?? "left",
      ...extra === undefined ? {} : { class: extra },
    };
  }
  const isText = align === undefined
    ? sample !== undefined && typeof value(sample) === "string"
    : align === "left";
  const isCurrent = sorting.key === key;
  const next = { key, isDescending: isCurrent ? !sorting.isDescending : !isText };
  return {
    label: t(label),
    align: isText ? "left" : "right",
    ...extra === undefined ? {} : { class: extra },
    ...help === undefined ? {} : { help: t(help) },
    sort: {
      href: hrefOf(sortingText(next)),
      direction: isCurrent ? (sorting.isDescending ? "descending" : "ascending") : null,
    },
  };
}

interface SortedTableProps<T> extends Pick<TableProps, "caption" | "density"> {
  readonly columns: readonly SortColumn<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** What the cells of each column show, by the column's key. */
  readonly cells: Readonly<Record<string, (row: T) => ComponentChildren>>;
  readonly sorting: Sorting;
  /** Leads to the same list in another order. */
  readonly hrefOf: (sort: string) => string;
}

/** A table whose headers sort it; cells stand as their headers do. */
export function SortedTable<T>(
  { columns, rows, rowKey, cells, sorting, hrefOf, ...table }: SortedTableProps<T>,
) {
  const listed = columns.map((column) => ({
    ...sortHeader(column, sorting, hrefOf, rows[0]),
    cellClass: column.cellClass ?? column.class ?? "",
    cell: cells[column.key] ?? (() => null),
  }));
  return <RowTable {...table} columns={listed} rows={rows} rowKey={rowKey} />;
}

export const PAGE_SIZE = 50;

/** One page of a list that is there as a whole. */
export interface ListPage<T> {
  readonly rows: readonly T[];
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

/** Reads `page` and cuts the list; a page that is not there is the nearest one. */
export function pageOf<T>(rows: readonly T[], text: string | null): ListPage<T> {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_SIZE));
  const asked = Math.trunc(Number(text ?? 1));
  const page = Math.min(pages, asked >= 1 ? asked : 1);
  return {
    rows: rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    total: rows.length,
    page,
    pages,
  };
}

interface ListBoxProps extends ListPagesProps {
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
          {t("There are more than these: only those that take the most time are listed.")}
        </p>
      )}
    </>
  );
}

interface ListPagesProps {
  readonly list: ListPage<unknown>;
  /** How many there are, as `{n} transaction|{n} transactions`. */
  readonly unit: Message;
  readonly hrefOf: (page: string | null) => string;
}

/** `Showing 1–50 of 1,234 transactions`, and the way to the other pages. */
export function ListPages({ list: { rows, total, page, pages }, unit, hrefOf }: ListPagesProps) {
  const first = (page - 1) * PAGE_SIZE + 1;
  return (
    <div class="border-t border-line">
      <Pagination
        label={t("Pages of the list")}
        summary={t("Showing {first}–{last} of {total}", {
          first,
          last: first + rows.length - 1,
          total: t(unit, { n: total }),
        })}
        previousHref={page > 1 ? hrefOf(page === 2 ? null : String(page - 1)) : null}
        nextHref={page < pages ? hrefOf(String(page + 1)) : null}
      />
    </div>
  );
}

interface SearchFormProps {
  readonly path: string;
  readonly scope: Scope;
  readonly query: string;
  /** What is searched, as `Search transactions`. */
  readonly label: string;
  readonly placeholder: string;
  /** Other parameters of the page to carry on. */
  readonly keep?: Readonly<Record<string, string | null | undefined>>;
}

/** The search of a list of a scope, as wide as there is room. */
export function SearchForm({ scope, keep = {}, ...search }: SearchFormProps) {
  return (
    <ListSearch
      {...search}
      keep={[...scopeParams(scope), ...paramsOf(keep)]}
      class="flex-1"
    />
  );
}

interface ListSearchProps
  extends Pick<SearchFormProps, "path" | "query" | "label" | "placeholder"> {
  /** Other parameters of the page to carry on. */
  readonly keep: Params;
  readonly class?: string;
}

/** The search of a list, in the URL as `query`. */
export function ListSearch(
  { path, keep, query, label, placeholder, class: extra }: ListSearchProps,
) {
  return (
    <form method="get" action={path} role="search" class={classes("flex min-w-0 gap-2", extra)}>
      <HiddenFields pairs={keep} />
      <input
        type="search"
        name="query"
        value={query}
        aria-label={label}
        placeholder={placeholder}
        class="h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2.5"
      />
      <Button icon="search">{t("Search")}</Button>
    </form>
  );
}

interface ChoiceLinksProps {
  /** What is chosen, read out. */
  readonly label: string;
  /** Where several stand side by side. @default false */
  readonly isLabelShown?: boolean;
  /** `""` stands for all. */
  readonly choices: readonly string[];
  /** Null: none of these. */
  readonly chosen: string | null;
  readonly hrefOf: (choice: string) => string;
  /** How it reads, where it is no name. @default the choice itself */
  readonly wordsOf?: (choice: string) => string;
}

/** A choice of one as links in a row, so that each has an address. */
export function ChoiceLinks(
  { label, isLabelShown = false, choices, chosen, hrefOf, wordsOf }: ChoiceLinksProps,
) {
  return (
    <nav aria-label={label} class="mt-2 flex flex-wrap items-center gap-1.5 text-sm">
      {isLabelShown && <span aria-hidden="true" class="mr-0.5 text-muted">{label}</span>}
      {choices.map((choice) => (
        <a
          key={choice}
          href={hrefOf(choice)}
          aria-current={choice === chosen ? "true" : undefined}
          class={classes(
            "inline-flex h-6 max-w-60 items-center rounded-md border px-2",
            choice === chosen
              ? "border-accent bg-accent-soft font-medium text-accent"
              : "border-line-strong hover:bg-hover",
          )}
        >
          <span class="truncate">{wordsOf?.(choice) ?? (choice || t("All"))}</span>
        </a>
      ))}
    </nav>
  );
}
