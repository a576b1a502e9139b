import type { TransactionSample } from "./transaction_samples.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, NONE } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { traceHref } from "../../ui/tracing_paths.ts";

export interface SampleTableProps {
  readonly tracing: Tracing;
  readonly samples: readonly TransactionSample[];
  readonly caption: string;
}

/** Single transactions, each with the way to its trace. */
export function SampleTable({ tracing: { project, scope }, samples, caption }: SampleTableProps) {
  return (
    <Table
      caption={caption}
      columns={[
        { label: "Trace" },
        { label: "Duration", align: "right" },
        { label: "Status" },
        { label: "Release", class: "max-lg:hidden" },
        { label: "Environment", class: "max-lg:hidden" },
        { label: "User", class: "max-xl:hidden" },
        { label: "When", align: "right" },
      ]}
    >
      {samples.map((sample) => (
        <Row key={`${sample.traceId}/${sample.spanId}`}>
          <Cell>
            <a
              class="row-link font-mono text-accent"
              title={sample.traceId}
              href={traceHref(project.id, sample.traceId, sample.spanId, scope)}
            >
              {sample.traceId.slice(0, 8)}
            </a>
          </Cell>
          <Cell align="right">{formatDuration(sample.durationMs)}</Cell>
          <Cell>
            <SampleStatus {...sample} />
          </Cell>
          <Cell class="max-w-48 truncate max-lg:hidden">{sample.release || NONE}</Cell>
          <Cell class="max-lg:hidden">{sample.environment || NONE}</Cell>
          <Cell class="max-w-48 truncate max-xl:hidden">{sample.user ?? NONE}</Cell>
          <Cell align="right">
            <RelativeTime date={sample.startedAt} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function SampleStatus({ isFailed, status, httpStatus }: TransactionSample) {
  const words = [httpStatus, status].filter((part) => part !== null && part !== "").join(" ");
  return isFailed
    ? <Badge tone="danger" icon="error">{words || "failed"}</Badge>
    : <span class="text-muted">{words || NONE}</span>;
}
