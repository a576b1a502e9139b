import type { OutcomeKind } from "../records/mod.ts";
import { Icon } from "../ui/components/icon.tsx";
import { Cell, Row, Table } from "../ui/components/table.tsx";
import { Count } from "../ui/components/values.tsx";
import { visible } from "../ui/json.ts";
import type { KindQuantity, Usage } from "./counts.ts";
import { categoryWord, KIND_WORDS, kindHelp, kindWord, reasonWord } from "./reasons.ts";
import { t } from "../core/language/translate.ts";

interface KindTableProps {
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
          label: <span title={t(help)}>{t(label)}</span>,
          align: "right" as const,
        })),
        { label: t("Total"), align: "right" },
      ]}
    >
      {lines.map((line) => (
        <Row key={line.key}>
          <Cell class="min-w-36 wrap-anywhere">{visible(labelOf(line.key))}</Cell>
          {cells(line)}
        </Row>
      ))}
      <Row>
        <Cell class="bg-sunken font-semibold">{t("Total")}</Cell>
        {cells(total, "bg-sunken font-semibold")}
      </Row>
    </Table>
  );
}

/** A count in short form; zeros stand back. */
function Quantity({ value }: { readonly value: number }) {
  return value === 0 ? <span class="text-faint">0</span> : <Count value={value} />;
}

/** Clients may name reasons without end. */
const MAX_LINES = 50;

interface ReasonListProps {
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
      columns={[
        { label: t("Category") },
        { label: t("Reason") },
        { label: t("Items"), align: "right" },
      ]}
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
          <Cell>{t("All others")}</Cell>
          <Cell />
          <Cell align="right">
            <Quantity value={rest} />
          </Cell>
        </Row>
      )}
    </Table>
  );
}

/** Quantities of one line of a table by the end that items came to. */
interface UsageLine {
  readonly key: string;
  readonly byKind: ReadonlyMap<OutcomeKind, number>;
  readonly total: number;
}

/** What arrived: everything but what clients dropped themselves, which never did. */
export function arrivedOf<T extends KindQuantity>(rows: readonly T[]): T[] {
  return rows.filter(({ kind }) => kind !== "client_discard");
}

/** Adds up by a key, the largest line first. */
export function linesBy<T extends KindQuantity>(
  rows: readonly T[],
  keyOf: (row: T) => string,
): UsageLine[] {
  const lines = new Map<string, Map<OutcomeKind, number>>();
  for (const row of rows) {
    const line = lines.get(keyOf(row)) ?? new Map<OutcomeKind, number>();
    lines.set(keyOf(row), line);
    line.set(row.kind, (line.get(row.kind) ?? 0) + row.quantity);
  }
  return [...lines].map(([key, byKind]) => ({ key, byKind, total: sum(byKind.values()) }))
    .sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
}

/** The sum of all lines. */
export function totalOf(rows: readonly KindQuantity[]): UsageLine {
  return linesBy(rows, () => "")[0] ?? { key: "", byKind: new Map(), total: 0 };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
