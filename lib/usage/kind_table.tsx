import type { KindQuantity } from "./usage.ts";
import { Count } from "../ui/components/count.tsx";
import { Cell, Row, Table } from "../ui/components/table.tsx";
import { visible } from "../ui/read.ts";
import { totalOf, type UsageLine } from "./usage_table.ts";
import { KIND_WORDS } from "./words.ts";

export interface KindTableProps {
  readonly caption: string;
  /** What a line is. */
  readonly of: string;
  /** What the lines are made of: the source of the totals. */
  readonly rows: readonly KindQuantity[];
  readonly lines: readonly UsageLine[];
  /** What stands for the key of a line. @default the key */
  readonly labelOf?: (key: string) => string;
}

/** Quantities by the end that items came to, with totals at the right and at the bottom. */
export function KindTable({ caption, of, rows, lines, labelOf = (key) => key }: KindTableProps) {
  const total = totalOf(rows);
  // Columns without a single item say nothing.
  const kinds = KIND_WORDS.filter(([kind]) => (total.byKind.get(kind) ?? 0) > 0);
  const cells = ({ byKind, total: sum }: UsageLine, look = "") =>
    [...kinds.map(([kind]) => byKind.get(kind) ?? 0), sum].map((value, index) => (
      <Cell key={index} align="right" class={look}>
        <Quantity value={value} />
      </Cell>
    ));
  return (
    <Table
      isWide
      caption={caption}
      columns={[
        { label: of },
        ...kinds.map(([, label, help]) => ({
          label: <span title={help}>{label}</span>,
          align: "right" as const,
        })),
        { label: "Total", align: "right" },
      ]}
    >
      {lines.map((line) => (
        <Row key={line.key}>
          <Cell class="min-w-36 wrap-anywhere">{visible(labelOf(line.key))}</Cell>
          {cells(line)}
        </Row>
      ))}
      <Row>
        <Cell class="bg-sunken font-semibold">Total</Cell>
        {cells(total, "bg-sunken font-semibold")}
      </Row>
    </Table>
  );
}

/** A count in short form; zeros stand back. */
export function Quantity({ value }: { readonly value: number }) {
  return value === 0 ? <span class="text-faint">0</span> : <Count value={value} />;
}
