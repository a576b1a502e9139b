import type { ComponentChildren } from "preact";
import { failureRate, type Stats } from "../../store/stats/stats.ts";
import { Count } from "../../ui/components/count.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration } from "../../ui/format.ts";
import { FailureShare } from "../../ui/failure_share.tsx";

export interface PartPanelProps {
  readonly title: string;
  readonly description?: string;
  /** Header of the first column. */
  readonly label: string;
  /** Those of most requests first. */
  readonly parts: readonly (Stats & { readonly key: string; readonly title: ComponentChildren })[];
}

const SHOWN = 20;

/** Requests of an endpoint divided by something, as its transactions or releases. */
export function PartPanel({ title, description, label, parts }: PartPanelProps) {
  return (
    <Panel title={title} description={description} flush>
      <Table
        caption={title}
        columns={[
          { label },
          { label: "Requests", align: "right" },
          { label: "p95", align: "right" },
          { label: "Errors", align: "right" },
        ]}
      >
        {parts.slice(0, SHOWN).map((part) => (
          <Row key={part.key}>
            <Cell class="w-full max-w-0 min-w-28 truncate">{part.title}</Cell>
            <Cell align="right">
              <Count value={Math.round(part.weight)} unit="requests" />
            </Cell>
            <Cell align="right">{formatDuration(part.sketch.quantile(0.95))}</Cell>
            <Cell align="right">
              <FailureShare rate={failureRate(part)} />
            </Cell>
          </Row>
        ))}
      </Table>
      {parts.length > SHOWN && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {`Those with most requests of ${parts.length}.`}
        </p>
      )}
    </Panel>
  );
}
