import type { Usage } from "./usage.ts";
import { Icon } from "../ui/components/icon.tsx";
import { Cell, Row, Table } from "../ui/components/table.tsx";
import { visible } from "../ui/read.ts";
import { Quantity } from "./kind_table.tsx";
import { linesBy, totalOf } from "./usage_table.ts";
import { categoryWord, kindHelp, kindWord, reasonWord } from "./words.ts";

/** Clients may name reasons without end. */
const MAX_LINES = 50;

export interface ReasonListProps {
  readonly rows: Usage["reasons"];
}

/** The ends that items came to, the most frequent first; each opens to its reasons. */
export function ReasonList({ rows }: ReasonListProps) {
  return (
    <ul class="divide-y divide-line">
      {linesBy(rows, ({ kind }) => kind).map(({ key }) => (
        <li key={key}>
          <Reasons kind={key} rows={rows.filter(({ kind }) => kind === key)} />
        </li>
      ))}
    </ul>
  );
}

function Reasons({ kind, rows }: ReasonListProps & { readonly kind: string }) {
  return (
    <details class="group/reasons">
      <summary class="flex items-center gap-3 px-4 py-2 hover:bg-hover">
        <Icon
          name="chevron-right"
          size={14}
          class="text-muted group-open/reasons:rotate-90"
        />
        <span class="min-w-0 flex-1">
          <span class="font-medium">{kindWord(kind)}</span>
          <span class="ml-2 text-sm text-muted max-sm:block max-sm:ml-0">{kindHelp(kind)}</span>
        </span>
        <Quantity value={totalOf(rows).total} />
      </summary>
      <ReasonTable caption={kindWord(kind)} rows={rows} />
    </details>
  );
}

/** The most frequent reasons first; what does not fit is added up in the last line. */
export function ReasonTable({ caption, rows }: ReasonListProps & { readonly caption: string }) {
  const lines = linesBy(rows, ({ category, reason }) => JSON.stringify([category, reason]));
  const rest = lines.slice(MAX_LINES).reduce((sum, { total }) => sum + total, 0);
  return (
    <Table
      isWide
      caption={caption}
      columns={[{ label: "Category" }, { label: "Reason" }, { label: "Items", align: "right" }]}
    >
      {lines.slice(0, MAX_LINES).map(({ key, total }) => {
        const [category = "", reason = ""]: string[] = JSON.parse(key);
        return (
          <Row key={key}>
            <Cell class="wrap-anywhere">{visible(categoryWord(category))}</Cell>
            <Cell class="wrap-anywhere">{visible(reasonWord(reason))}</Cell>
            <Cell align="right">
              <Quantity value={total} />
            </Cell>
          </Row>
        );
      })}
      {rest > 0 && (
        <Row>
          <Cell>All others</Cell>
          <Cell />
          <Cell align="right">
            <Quantity value={rest} />
          </Cell>
        </Row>
      )}
    </Table>
  );
}
