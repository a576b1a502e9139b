import { isFailedStatus } from "../../records/span_status.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatExact } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { traceHref } from "../../ui/tracing_paths.ts";
import type { QueryExample } from "./examples.ts";

export interface ExamplePanelProps {
  readonly tracing: Tracing;
  readonly examples: readonly QueryExample[];
}

/** Single spans of the group, each with the way to its trace. */
export function ExamplePanel({ tracing, examples }: ExamplePanelProps) {
  return (
    <Panel
      title="Examples"
      description="The slowest call of some transactions, with its values as far as they were sent."
      flush
    >
      {examples.length === 0
        ? <p class="px-4 py-6 text-sm text-muted">None of these calls is stored any more.</p>
        : (
          <Table
            caption="Examples"
            columns={[
              { label: "Trace" },
              { label: "Call" },
              { label: "Times", align: "right", class: "max-sm:hidden" },
              { label: "Duration", align: "right" },
              { label: "When", align: "right", class: "max-md:hidden" },
            ]}
          >
            {examples.map((example) => (
              <Example key={example.spanId} tracing={tracing} example={example} />
            ))}
          </Table>
        )}
    </Panel>
  );
}

function Example(
  { tracing: { project, scope }, example }: { tracing: Tracing; example: QueryExample },
) {
  const { traceId, spanId, transaction, service, description, status, times } = example;
  return (
    <Row>
      <Cell>
        <a
          class="row-link font-mono text-accent"
          title={traceId}
          href={traceHref(project.id, traceId, spanId, scope)}
        >
          {traceId.slice(0, 8)}
        </a>
      </Cell>
      <Cell class="w-full max-w-0 min-w-40">
        <bdi class="line-clamp-2 font-mono wrap-anywhere" title={description}>{description}</bdi>
        <span class="flex min-w-0 items-center gap-1.5 text-meta text-muted">
          {isFailedStatus(status) && <Badge tone="danger" icon="error">{status}</Badge>}
          <span class="truncate">
            {[transaction, service].filter((fact) => fact !== "").join(" · ")}
          </span>
        </span>
      </Cell>
      <Cell align="right" class="max-sm:hidden">
        <span title="Such calls in this transaction">{formatExact(times)}</span>
      </Cell>
      <Cell align="right">{formatDuration(example.durationMs)}</Cell>
      <Cell align="right" class="max-md:hidden">
        <RelativeTime date={example.start} />
      </Cell>
    </Row>
  );
}
