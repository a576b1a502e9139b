import type { ComponentChildren } from "preact";
import { classes, Icon, type IconName } from "./icon.tsx";

export interface Column {
  readonly label: ComponentChildren;
  /** Shown on hover. */
  readonly help?: string;
  /** Numbers stand at the right. @default "left" */
  readonly align?: "left" | "right";
  /** Sorting by a click on the header: where it leads, and how the table is sorted by it now. */
  readonly sort?: { readonly href: string; readonly direction: "ascending" | "descending" | null };
  /** For columns whose content speaks for itself: the label is read out, not shown. */
  readonly isLabelHidden?: boolean;
  /** Widths and breakpoints, such as `w-24 max-md:hidden`; give the cells the same. */
  readonly class?: string;
}

export interface TableProps {
  /** What the table lists; read out, not shown. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** Rows: {@linkcode Row} with {@linkcode Cell}s. */
  readonly children: ComponentChildren;
  /** `dense` rows are 36 px high, `comfortable` 44 px. @default "dense" */
  readonly density?: "dense" | "comfortable";
  /**
   * May be wider than its place in any window: then it always scrolls in its own box, can be reached by keyboard, and
   * its header does not stick. @default false
   */
  readonly isWide?: boolean;
}

/** A table with a sticky header that, where the window is narrow, scrolls inside its own box. */
export function Table(
  { caption, columns, children, density = "dense", isWide = false }: TableProps,
) {
  return (
    <div
      class={isWide ? "overflow-x-auto" : "max-lg:overflow-x-auto"}
      data-density={density}
      {...(isWide && { role: "region", "aria-label": caption, tabindex: 0 })}
    >
      <table class="w-full border-collapse text-sm">
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <HeaderCell key={index} {...column} isSticky={!isWide} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function HeaderCell(
  { label, help, align, sort, isLabelHidden, class: extra, isSticky }: Column & {
    isSticky: boolean;
  },
) {
  const content = isLabelHidden ? <span class="sr-only">{label}</span> : label;
  return (
    <th
      scope="col"
      title={help}
      aria-sort={sort?.direction ?? undefined}
      class={classes(
        "h-8 border-b border-line bg-sunken px-3 text-meta font-medium whitespace-nowrap text-muted",
        isSticky && "lg:sticky lg:top-(--topbar) lg:z-10",
        align === "right" ? "text-right" : "text-left",
        extra,
      )}
    >
      {sort
        ? (
          <a
            href={sort.href}
            class={classes(
              "inline-flex items-center gap-1 hover:text-ink",
              sort.direction && "text-ink",
            )}
          >
            {content}
            {sort.direction && (
              <Icon name={sort.direction === "ascending" ? "sort-up" : "sort-down"} size={12} />
            )}
          </a>
        )
        : content}
    </th>
  );
}

interface RowProps {
  /** Marks the row as chosen. @default false */
  readonly isSelected?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A row. A link of class `row-link` in one of its cells covers the whole row, so that a click anywhere
 * opens it and a middle click opens a tab; give other links and fields in the row class `above-row-link`.
 */
export function Row({ isSelected = false, children }: RowProps) {
  return (
    <tr
      class={classes(
        "relative border-b border-line last:border-b-0 hover:bg-hover",
        isSelected && "bg-accent-soft",
      )}
    >
      {children}
    </tr>
  );
}

interface CellProps {
  /** @default "left" */
  readonly align?: "left" | "right";
  readonly class?: string;
  readonly children?: ComponentChildren;
}

/** A cell; numbers at the right in figures of one width. */
export function Cell({ align = "left", class: extra, children }: CellProps) {
  return (
    <td
      class={classes(
        "h-9 px-3 py-1 [[data-density=comfortable]_&]:h-11",
        align === "right" && "text-right whitespace-nowrap tabular-nums",
        extra,
      )}
    >
      {children}
    </td>
  );
}

interface PaginationProps {
  /** What is shown, as "Showing 1–50 of 1,234". */
  readonly summary?: ComponentChildren;
  /** null on the first page. */
  readonly previousHref: string | null;
  /** null on the last page. */
  readonly nextHref: string | null;
  /** What is paged, for screen readers. @default "Pages" */
  readonly label?: string;
}

/** Newer and older pages of a list that is read by cursor. */
export function Pagination(
  { summary, previousHref, nextHref, label = "Pages" }: PaginationProps,
) {
  return (
    <nav aria-label={label} class="flex items-center justify-between gap-4 px-4 py-2 text-sm">
      <p class="text-muted tabular-nums">{summary}</p>
      <div class="flex gap-1">
        <Step href={previousHref} icon="chevron-left" rel="prev">Previous</Step>
        <Step href={nextHref} icon="chevron-right" rel="next">Next</Step>
      </div>
    </nav>
  );
}

interface StepProps {
  readonly href: string | null;
  readonly icon: IconName;
  readonly rel: "prev" | "next";
  readonly children: string;
}

function Step({ href, icon, rel, children }: StepProps) {
  const look = classes(
    "inline-flex h-7 items-center gap-1 rounded-md border px-2",
    rel === "next" && "flex-row-reverse",
  );
  if (href === null) {
    return (
      <span aria-disabled="true" class={classes(look, "border-line text-faint opacity-60")}>
        <Icon name={icon} size={14} />
        {children}
      </span>
    );
  }
  return (
    <a href={href} rel={rel} class={classes(look, "border-line-strong hover:bg-hover")}>
      <Icon name={icon} size={14} />
      {children}
    </a>
  );
}
