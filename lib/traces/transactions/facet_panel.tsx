import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatPercent } from "../../ui/format.ts";
import type { ComparedFacet } from "./compare_facets.ts";

export interface FacetPanelProps {
  readonly facets: readonly ComparedFacet[];
  /** From here on a transaction is slow, in milliseconds. */
  readonly slowFrom: number | null;
  /** The page is narrowed to some durations: those count as the slow ones. */
  readonly isChosen: boolean;
}

/** What slow transactions have more often than others: where to look for the reason. */
export function FacetPanel({ facets, slowFrom, isChosen }: FacetPanelProps) {
  const slow = isChosen
    ? "those of the chosen durations"
    : `those over ${formatDuration(slowFrom)}`;
  return (
    <Panel
      title="What slow ones have in common"
      description={`Among ${slow}, and among all; the newest 1,000 of each.`}
      flush
    >
      {facets.length === 0
        ? (
          <p class="px-4 py-6 text-sm text-muted">
            No tag is notably more frequent among them.
          </p>
        )
        : (
          <Table
            caption="Tags of slow transactions"
            columns={[
              { label: "Tag" },
              { label: isChosen ? "Of chosen" : "Of slow", align: "right" },
              { label: "Of all", align: "right" },
            ]}
          >
            {facets.map(({ key, value, ofSlow, ofAll }) => (
              <Row key={`${key}=${value}`}>
                <Cell class="w-full max-w-0 min-w-40">
                  <span class="block truncate" title={`${key}: ${value}`}>
                    <span class="text-muted">{key}</span> <bdi class="font-medium">{value}</bdi>
                  </span>
                </Cell>
                <Cell align="right">{formatPercent(ofSlow)}</Cell>
                <Cell align="right" class="text-muted">{formatPercent(ofAll)}</Cell>
              </Row>
            ))}
          </Table>
        )}
    </Panel>
  );
}
