import type { CallTree } from "../trees/stack_profile.ts";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDateTime, NONE } from "../../ui/format.ts";
import type { Waited } from "../load_selection.ts";
import { combiningWords, valueTexts } from "../words.ts";
import type { End, Ends } from "./ends.ts";
import type { BothMerged } from "./load_compare.ts";

export interface EndTableProps {
  readonly ends: Ends;
  readonly reading: Waited<BothMerged>;
  /** All values of both ends; null until they are there. */
  readonly totals: { readonly before: CallTree; readonly after: CallTree } | null;
}

/** Both ends side by side: which time, release and environment, how many profiles, what they add up to. */
export function EndTable({ ends, reading, totals }: EndTableProps) {
  const merged = reading.kind === "ready" ? reading.value : null;
  const facts: readonly (readonly [string, (side: "before" | "after") => string])[] = [
    ["Time", (side) => timeOf(ends[side])],
    ["Release", (side) => ends[side].scope.releases.join(", ") || "all"],
    ["Environment", (side) => ends[side].scope.environments.join(", ") || "all"],
    ["Profiles", (side) => merged === null ? NONE : combiningWords(merged[side])],
    ["Total", (side) => {
      const tree = totals?.[side];
      if (merged?.[side].profiles === 0) return NONE;
      return tree ? valueTexts(tree.totals[0] ?? 0n, tree.type.unit).text : NONE;
    }],
  ];
  return (
    <Table
      caption="What is compared"
      isWide
      columns={[{ label: "Fact", isLabelHidden: true }, { label: "Before" }, { label: "After" }]}
    >
      {facts.map(([label, of]) => (
        <Row key={label}>
          <Cell class="text-muted">{label}</Cell>
          <Cell class="min-w-32 wrap-anywhere">{of("before")}</Cell>
          <Cell class="min-w-32 wrap-anywhere">{of("after")}</Cell>
        </Row>
      ))}
    </Table>
  );
}

function timeOf({ interval: { start, end } }: End): string {
  return `${formatDateTime(start).slice(0, 16)} – ${formatDateTime(end).slice(0, 16)} UTC`;
}
