import type { EndpointCallers } from "./endpoint_callers.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatExact, formatPercent, NONE } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { traceHref, transactionHref } from "../../ui/tracing_paths.ts";
import { ShareOf } from "../../ui/share_of.tsx";

export interface CallerPanelProps {
  readonly tracing: Tracing;
  readonly callers: EndpointCallers;
}

const SHOWN = 15;

/** Services and transactions whose spans lead to an endpoint, seen in its newest requests. */
export function CallerPanel({ tracing: { project, scope }, callers }: CallerPanelProps) {
  const { sampled, callers: found } = callers;
  return (
    <Panel
      title="Callers"
      description={`A sample: who made the newest ${formatExact(sampled)} requests.`}
      flush
    >
      {found.length > 0 && (
        <Table
          caption="Callers"
          columns={[
            { label: "Transaction" },
            { label: "Share", align: "right" },
            { label: "Average", align: "right", class: "max-sm:hidden" },
            { label: "Trace", align: "right" },
          ]}
        >
          {found.slice(0, SHOWN).map(({ service, transaction, count, averageMs, traceId }) => (
            <Row key={`${service}/${transaction}`}>
              <Cell class="w-full max-w-0 min-w-40">
                {transaction === "" ? <span class="text-muted">{NONE}</span> : (
                  <a
                    class="link block truncate"
                    title={transaction}
                    href={transactionHref(project.id, scope, transaction)}
                  >
                    <bdi>{transaction}</bdi>
                  </a>
                )}
                <span class="block truncate text-meta text-muted">{service}</span>
              </Cell>
              <Cell align="right">
                <ShareOf share={count / sampled} title={`${count} of ${sampled} requests`}>
                  {formatPercent(count / sampled)}
                </ShareOf>
              </Cell>
              <Cell align="right" class="max-sm:hidden">{formatDuration(averageMs)}</Cell>
              <Cell align="right">
                <a
                  class="link font-mono"
                  href={traceHref(project.id, traceId, null, scope)}
                  title={traceId}
                >
                  {traceId.slice(0, 8)}
                </a>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <p class="border-t border-line px-4 py-2 text-sm text-muted first:border-t-0">
        {restWords(callers)}
      </p>
    </Panel>
  );
}

/** What is known of the requests that no caller is listed for. */
function restWords({ sampled, roots, unknown, callers }: EndpointCallers): string {
  if (sampled === 0) return "None of its requests is stored any more.";
  const parts = [
    callers.length > SHOWN ? `${callers.length - SHOWN} more callers are not listed` : "",
    roots > 0 ? `${formatExact(roots)} began their trace here` : "",
    unknown > 0 ? `${formatExact(unknown)} came from something that sends no traces here` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "All of them came from these callers." : `${parts.join("; ")}.`;
}
