import { averageOf } from "../../store/stats/stats.ts";
import { Count } from "../../ui/components/count.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatExact, formatPercent, NONE } from "../../ui/format.ts";
import { totalTimeOf } from "../../store/stats/extrapolate.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { transactionHref } from "../../ui/tracing_paths.ts";
import { ShareOf } from "../../ui/share_of.tsx";
import type { QueryCaller } from "./load_detail.ts";

export interface CallerPanelProps {
  readonly tracing: Tracing;
  /** Those that take the most time first. */
  readonly callers: readonly QueryCaller[];
}

const SHOWN = 25;

/** Transactions that have spans of the group, by name. */
export function CallerPanel({ tracing: { project, scope }, callers }: CallerPanelProps) {
  return (
    <Panel title="Callers" description="Transactions that do this, by name." flush>
      <Table
        caption="Callers"
        columns={[
          { label: "Transaction" },
          { label: "Calls", align: "right" },
          { label: "In each", align: "right", class: "max-sm:hidden" },
          { label: "Average", align: "right", class: "max-sm:hidden" },
          { label: "Total time", align: "right" },
        ]}
      >
        {callers.slice(0, SHOWN).map(({ name, stats, share, perTransaction }) => (
          <Row key={name}>
            <Cell class="w-full max-w-0 min-w-40">
              {name === "" ? <span class="text-muted">no transaction told</span> : (
                <a
                  class="row-link block truncate"
                  title={name}
                  href={transactionHref(project.id, scope, name)}
                >
                  <bdi>{name}</bdi>
                </a>
              )}
            </Cell>
            <Cell align="right">
              <Count value={Math.round(stats.weight)} unit="calls" />
            </Cell>
            <Cell align="right" class="max-sm:hidden">
              <span title="Calls for each transaction">{perTransaction?.toFixed(1) ?? NONE}</span>
            </Cell>
            <Cell align="right" class="max-sm:hidden">{formatDuration(averageOf(stats))}</Cell>
            <Cell align="right">
              <ShareOf share={share} title={`${formatPercent(share)} of the time of all callers`}>
                {formatDuration(totalTimeOf(stats))}
              </ShareOf>
            </Cell>
          </Row>
        ))}
      </Table>
      {callers.length > SHOWN && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {`Those that take the most time of ${formatExact(callers.length)}.`}
        </p>
      )}
    </Panel>
  );
}
