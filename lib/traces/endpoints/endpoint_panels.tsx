import type { ComponentChildren } from "preact";
import type { Tracing } from "../../releases/request_scope.ts";
import { failureRate, type Stats } from "../../store/stats/stats.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { Count } from "../../ui/components/values.tsx";
import { FailureShare, ShareOf } from "../../ui/figures.tsx";
import { formatDuration, formatExact, formatPercent, NONE } from "../../ui/format.ts";
import { type EndpointCallers, STATUS_SAMPLE, type StatusCount } from "./endpoint_samples.ts";
import { traceHref, transactionHref } from "../../ui/links.ts";

interface PartPanelProps {
  readonly title: string;
  readonly description?: string;
  /** Header of the first column. */
  readonly label: string;
  /** Those of most requests first. */
  readonly parts: readonly (Stats & { readonly key: string; readonly title: ComponentChildren })[];
}

const MAX_PARTS = 20;

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
        {parts.slice(0, MAX_PARTS).map((part) => (
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
      {parts.length > MAX_PARTS && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {`Those with most requests of ${parts.length}.`}
        </p>
      )}
    </Panel>
  );
}

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

interface CallerPanelProps {
  readonly tracing: Tracing;
  readonly callers: EndpointCallers;
}

const MAX_CALLERS = 15;

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
          {found.slice(0, MAX_CALLERS).map((
            { service, transaction, count, averageMs, traceId },
          ) => (
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
    callers.length > MAX_CALLERS
      ? `${callers.length - MAX_CALLERS} more callers are not listed`
      : "",
    roots > 0 ? `${formatExact(roots)} began their trace here` : "",
    unknown > 0 ? `${formatExact(unknown)} came from something that sends no traces here` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "All of them came from these callers." : `${parts.join("; ")}.`;
}
