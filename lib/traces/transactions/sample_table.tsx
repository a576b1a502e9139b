import type { Tracing } from "../../releases/request_scope.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { classes } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatDuration, NONE } from "../../ui/format.ts";
import { scopedHref } from "../../ui/scope.ts";
import type { SummaryParams } from "./load_summary.ts";
import type { TransactionSample } from "./transaction_samples.ts";
import { traceHref } from "../../ui/links.ts";

interface SamplePanelProps {
  readonly tracing: Tracing;
  readonly path: string;
  readonly params: SummaryParams;
  /** All parameters of the page, which choosing others keeps. */
  readonly keep: Readonly<Record<string, string | null>>;
  readonly samples: readonly TransactionSample[];
}

const ORDER_WORDS = { slowest: "Slowest", newest: "Newest", failed: "Failed" } as const;

/** Some of the transactions: the slowest, the newest or failed ones, of all or of a range of durations. */
export function SamplePanel({ tracing, path, params, keep, samples }: SamplePanelProps) {
  const orders = Object.keys(ORDER_WORDS) as (keyof typeof ORDER_WORDS)[];
  const { range } = params;
  return (
    <Panel
      title="Transactions"
      id="samples"
      flush
      {...range === null ? {} : {
        description: `Those that took ${formatDuration(range.min)} to ${
          formatDuration(range.max)
        }.`,
      }}
      actions={
        <nav class="flex gap-1 text-sm" aria-label="Which transactions">
          {orders.map((order) => (
            <a
              key={order}
              href={`${
                scopedHref(path, tracing.scope, {
                  ...keep,
                  samples: order === "slowest" ? null : order,
                })
              }#samples`}
              aria-current={order === params.order ? "true" : undefined}
              class={classes(
                "rounded-md px-2 py-0.5",
                order === params.order ? "bg-accent-soft text-accent" : "text-muted hover:bg-hover",
              )}
            >
              {ORDER_WORDS[order]}
            </a>
          ))}
        </nav>
      }
    >
      {samples.length === 0
        ? (
          <p class="px-4 py-6 text-sm text-muted">
            {params.order === "failed" ? "None of them failed." : "None in this range."}
          </p>
        )
        : (
          <SampleTable
            tracing={tracing}
            samples={samples}
            caption={`${ORDER_WORDS[params.order]} transactions`}
          />
        )}
    </Panel>
  );
}

interface SampleTableProps {
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
