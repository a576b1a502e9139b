import type { Column } from "./components/table.tsx";

/** A column by which a list can be sorted. */
export interface SortColumn<T> {
  /** In the URL: `sort=p95` ascends, `sort=-p95` descends. */
  readonly key: string;
  readonly label: string;
  /** What rows are sorted by; null goes last. */
  readonly value: (row: T) => number | string | null;
  /** Shown on hover. */
  readonly help?: string;
  readonly class?: string;
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
  return columns.some((column) => column.key === key) ? { key: key ?? "", isDescending } : fallback;
}

/** As it stands in the URL. */
export function sortingText({ key, isDescending }: Sorting): string {
  return isDescending ? `-${key}` : key;
}

/** Rows in the order that was asked for; those without a value last, equal ones as they came. */
export function sorted<T>(
  rows: readonly T[],
  columns: readonly SortColumn<T>[],
  { key, isDescending }: Sorting,
): T[] {
  const value = columns.find((column) => column.key === key)?.value ?? (() => null);
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return one === other ? 0 : one < other ? -sign : sign;
  });
}

/**
 * The header of a column that sorts: numbers begin with the largest, texts with the first.
 *
 * @param hrefOf leads to the same list in another order
 */
export function sortHeader<T>(
  { key, label, value, help, class: extra }: SortColumn<T>,
  sorting: Sorting,
  hrefOf: (sort: string) => string,
  sample: T | undefined,
): Column {
  const isText = sample !== undefined && typeof value(sample) === "string";
  const isCurrent = sorting.key === key;
  const next = { key, isDescending: isCurrent ? !sorting.isDescending : !isText };
  return {
    label,
    align: isText ? "left" : "right",
    ...extra === undefined ? {} : { class: extra },
    ...help === undefined ? {} : { help },
    sort: {
      href: hrefOf(sortingText(next)),
      direction: isCurrent ? (sorting.isDescending ? "descending" : "ascending") : null,
    },
  };
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
