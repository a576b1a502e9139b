import type { ComponentChildren } from "preact";

export interface DataTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  /** First cell and the others of each row. */
  readonly rows: readonly (readonly [ComponentChildren, ...string[]])[];
  /** Under the table. */
  readonly children?: ComponentChildren;
}

/**
 * The data of a chart as a table behind a toggle. It is styled as a whole, because class names at each of
 * some thousand cells would be most of the page.
 */
export function DataTable({ caption, columns, rows, children }: DataTableProps) {
  return (
    <details class="mt-1 text-sm">
      <summary class="inline-block text-meta text-muted underline hover:text-ink">
        Show as a table
      </summary>
      <div
        class="mt-2 max-h-64 overflow-auto rounded-md border border-line"
        role="group"
        aria-label={`${caption}, data`}
        tabindex={0}
      >
        <table class="chart-table">
          <caption class="sr-only">{caption}</caption>
          <thead>
            <tr>{columns.map((column, index) => <th key={index} scope="col">{column}</th>)}</tr>
          </thead>
          <tbody>
            {rows.map(([head, ...cells], row) => (
              <tr key={row}>
                <th scope="row">{head}</th>
                {cells.map((cell, index) => <td key={index}>{cell}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {children}
    </details>
  );
}
