import { STATUS_SAMPLE, type StatusCount } from "./endpoint_samples.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatExact, formatPercent } from "../../ui/format.ts";
import { ShareOf } from "../../ui/share_of.tsx";

const TONES: Readonly<Record<number, Tone>> = { 2: "ok", 3: "info", 4: "warning", 5: "danger" };

/** Exact status codes of the newest requests. */
export function StatusPanel({ statuses }: { readonly statuses: readonly StatusCount[] }) {
  const total = statuses.reduce((sum, { count }) => sum + count, 0);
  return (
    <Panel
      title="Status codes"
      description={total < STATUS_SAMPLE
        ? `Of the ${formatExact(total)} requests that are stored.`
        : `Of the newest ${formatExact(total)} requests.`}
      flush
    >
      <Table
        caption="Status codes"
        columns={[
          { label: "Status" },
          { label: "Requests", align: "right" },
          { label: "Share", align: "right" },
          { label: "Average", align: "right" },
        ]}
      >
        {statuses.map(({ httpStatus, count, averageMs }) => (
          <Row key={httpStatus ?? 0}>
            <Cell>
              {httpStatus === null
                ? <span class="text-muted">none told</span>
                : (
                  <Badge tone={TONES[Math.floor(httpStatus / 100)] ?? "neutral"}>
                    {httpStatus}
                  </Badge>
                )}
            </Cell>
            <Cell align="right">{formatExact(count)}</Cell>
            <Cell align="right">
              <ShareOf share={count / total} title={`${count} of ${total} requests`}>
                {formatPercent(count / total)}
              </ShareOf>
            </Cell>
            <Cell align="right">{formatDuration(averageMs)}</Cell>
          </Row>
        ))}
      </Table>
    </Panel>
  );
}
