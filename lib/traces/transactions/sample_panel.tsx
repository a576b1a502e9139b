import type { TransactionSample } from "./transaction_samples.ts";
import { classes } from "../../ui/components/class_names.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { formatDuration } from "../../ui/format.ts";
import { scopedHref } from "../../ui/scope.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import type { SummaryParams } from "./load_summary.ts";
import { SampleTable } from "./sample_table.tsx";

export interface SamplePanelProps {
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
