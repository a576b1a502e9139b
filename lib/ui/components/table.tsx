import { t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { classes, Icon, type IconName } from "./icon.tsx";
import { Panel, type PanelProps } from "./panel.tsx";

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
      // What is only read out is placed by this box, and scrolls with it.
      class={classes("relative", isWide ? "overflow-x-auto" : "max-lg:overflow-x-auto")}
      data-density={density}
      {...(isWide && { role: "group", "aria-label": caption, tabindex: 0 })}
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

/**
 * A row. A link of class `row-link` in one of its cells covers the whole row, so that a click anywhere
 * opens it and a middle click opens a tab; give other links and fields in the row class `above-row-link`.
 */
export function Row({ children }: { readonly children: ComponentChildren }) {
  return <tr class="relative border-b border-line last:border-b-0 hover:bg-hover">{children}</tr>;
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

/** A column that says what stands in its cells. */
export interface RowColumn<T> extends Column {
  /** Of the cells. @default the header's class */
  readonly cellClass?: string;
  readonly cell: (row: T) => ComponentChildren;
}

export interface RowTableProps<T> extends Omit<TableProps, "columns" | "children"> {
  readonly columns: readonly RowColumn<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string | number;
}

/** A table of rows that are all alike; cells stand as their headers do. */
export function RowTable<T>({ columns, rows, rowKey, ...table }: RowTableProps<T>) {
  return (
    <Table {...table} columns={columns}>
      {rows.map((row) => (
        <Row key={rowKey(row)}>
          {columns.map((column, place) => (
            <Cell
              key={place}
              align={column.align ?? "left"}
              class={column.cellClass ?? column.class ?? ""}
            >
              {column.cell(row)}
            </Cell>
          ))}
        </Row>
      ))}
    </Table>
  );
}

interface TablePanelProps<T>
  extends Pick<PanelProps, "id" | "description" | "actions">, Omit<RowTableProps<T>, "caption"> {
  readonly title: string;
  /** @default the title */
  readonly caption?: string;
  /** In place of a table without rows. @default its headers alone */
  readonly none?: ComponentChildren;
  /** Rows beyond these are left out. @default all are shown */
  readonly limit?: number;
  /** What is said of all when some are left out. */
  readonly rest?: (total: number) => string;
  /** Below the table. */
  readonly children?: ComponentChildren;
}

/** A panel with a table to its edges, or why there is none. */
export function TablePanel<T>(
  { title, id, description, actions, none, limit = Infinity, rest, children, ...table }:
    TablePanelProps<T>,
) {
  const { caption = title, rows } = table;
  return (
    <Panel title={title} id={id} description={description} actions={actions} flush>
      {none !== undefined && rows.length === 0
        ? <Nothing>{none}</Nothing>
        : <RowTable {...table} caption={caption} rows={rows.slice(0, limit)} />}
      {rest && rows.length > limit && <PanelFoot>{rest(rows.length)}</PanelFoot>}
      {children}
    </Panel>
  );
}

/** In place of the content of a panel. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="px-4 py-6 text-sm text-muted">{children}</p>;
}

/** A sentence below the table of a panel. */
export function PanelFoot({ children }: { readonly children: ComponentChildren }) {
  return <p class="border-t border-line px-4 py-2 text-sm text-muted">{children}</p>;
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
  { summary, previousHref, nextHref, label = t("Pages") }: PaginationProps,
) {
  return (
    <nav aria-label={label} class="flex items-center justify-between gap-4 px-4 py-2 text-sm">
      <p class="text-muted tabular-nums">{summary}</p>
      <div class="flex gap-1">
        <Step href={previousHref} icon="chevron-left" rel="prev">{t("Previous")}</Step>
        <Step href={nextHref} icon="chevron-right" rel="next">{t("Next")}</Step>
      </div>
    </nav>
  );
}

interface CursorPagesProps extends Pick<PaginationProps, "summary" | "label"> {
  readonly page: { readonly previousCursor: string | null; readonly nextCursor: string | null };
  readonly hrefOf: (cursor: string) => string;
}

/** The foot of a list that is read by cursor. */
export function CursorPages({ page, hrefOf, ...words }: CursorPagesProps) {
  const { previousCursor, nextCursor } = page;
  return (
    <div class="border-t border-line">
      <Pagination
        {...words}
        previousHref={previousCursor && hrefOf(previousCursor)}
        nextHref={nextCursor && hrefOf(nextCursor)}
      />
    </div>
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
