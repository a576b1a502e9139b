import { t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import type { PageScope } from "../../releases/request_scope.ts";
import { failureRate, type Stats } from "../../store/stats/stats.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RowTable, TablePanel } from "../../ui/components/table.tsx";
import { Count, FailureShare, ShareOf } from "../../ui/components/values.tsx";
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

/** How many requests, of which some may have been sampled away. */
export function RequestCount({ requests }: { readonly requests: number }) {
  const n = Math.round(requests);
  return <Count value={n} unit="{n} request|{n} requests" />;
}

/** Requests of an endpoint divided by something, as its transactions or releases. */
export function PartPanel({ title, description, label, parts }: PartPanelProps) {
  return (
    <TablePanel
      title={title}
      description={description}
      rows={parts}
      limit={MAX_PARTS}
      rest={(total) => t("Those with most requests of {total}.", { total })}
      rowKey={({ key }) => key}
      columns={[
        { label, cellClass: "w-full max-w-0 min-w-28 truncate", cell: (part) => part.title },
        {
          label: t("Requests"),
          align: "right",
          cell: ({ weight }) => <RequestCount requests={weight} />,
        },
        {
          label: "p95",
          align: "right",
          cell: ({ sketch }) => formatDuration(sketch.quantile(0.95)),
        },
        {
          label: t("Errors"),
          align: "right",
          cell: (part) => <FailureShare rate={failureRate(part)} />,
        },
      ]}
    />
  );
}

const TONES: Readonly<Record<number, Tone>> = { 2: "ok", 3: "info", 4: "warning", 5: "danger" };

/** Exact status codes of the newest requests. */
export function StatusPanel({ statuses }: { readonly statuses: readonly StatusCount[] }) {
  const total = statuses.reduce((sum, { count }) => sum + count, 0);
  return (
    <TablePanel
      title={t("Status codes")}
      description={total < STATUS_SAMPLE
        ? t("Of the {n} request that is stored.|Of the {n} requests that are stored.", { n: total })
        : t("Of the newest {n} request.|Of the newest {n} requests.", { n: total })}
      rows={statuses}
      rowKey={({ httpStatus }) => httpStatus ?? 0}
      columns={[
        {
          label: t("Status"),
          cell: ({ httpStatus }) =>
            httpStatus === null
              ? <span class="text-muted">{t("no status")}</span>
              : <Badge tone={TONES[Math.floor(httpStatus / 100)] ?? "neutral"}>{httpStatus}</Badge>,
        },
        { label: t("Requests"), align: "right", cell: ({ count }) => formatExact(count) },
        {
          label: t("Share@@part"),
          align: "right",
          cell: ({ count }) => <RequestShare count={count} total={total} />,
        },
        { label: t("Average"), align: "right", cell: ({ averageMs }) => formatDuration(averageMs) },
      ]}
    />
  );
}

function RequestShare({ count, total }: { readonly count: number; readonly total: number }) {
  return (
    <ShareOf share={count / total} title={t("{count} of {total} requests", { count, total })}>
      {formatPercent(count / total)}
    </ShareOf>
  );
}

interface CallerPanelProps {
  readonly pageScope: PageScope;
  readonly callers: EndpointCallers;
}

const MAX_CALLERS = 15;

/** Services and transactions whose spans lead to an endpoint, seen in its newest requests. */
export function CallerPanel({ pageScope: { project, scope }, callers }: CallerPanelProps) {
  const { sampled, callers: found } = callers;
  return (
    <Panel
      title={t("Callers")}
      description={t(
        "A sample: who made the newest {n} request.|A sample: who made the newest {n} requests.",
        { n: sampled },
      )}
      flush
    >
      {found.length > 0 && (
        <RowTable
          caption={t("Callers")}
          rows={found.slice(0, MAX_CALLERS)}
          rowKey={({ service, transaction }) => `${service}/${transaction}`}
          columns={[
            {
              label: t("Transaction"),
              cellClass: "w-full max-w-0 min-w-40",
              cell: ({ service, transaction }) => (
                <>
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
                </>
              ),
            },
            {
              label: t("Share@@part"),
              align: "right",
              cell: ({ count }) => <RequestShare count={count} total={sampled} />,
            },
            {
              label: t("Average"),
              align: "right",
              class: "max-sm:hidden",
              cell: ({ averageMs }) => formatDuration(averageMs),
            },
            {
              label: t("Trace"),
              align: "right",
              cell: ({ traceId }) => (
                <a
                  class="link font-mono"
                  href={traceHref(project.id, traceId, null, scope)}
                  title={traceId}
                >
                  {traceId.slice(0, 8)}
                </a>
              ),
            },
          ]}
        />
      )}
      <p class="border-t border-line px-4 py-2 text-sm text-muted first:border-t-0">
        {restWords(callers)}
      </p>
    </Panel>
  );
}

/** What is known of the requests that no caller is listed for. */
function restWords({ sampled, roots, unknown, callers }: EndpointCallers): string {
  if (sampled === 0) return t("None of its requests is stored any more.");
  const parts = [
    callers.length > MAX_CALLERS
      ? t("{n} more caller is not listed|{n} more callers are not listed", {
        n: callers.length - MAX_CALLERS,
      })
      : "",
    roots > 0 ? t("{n} began its trace here|{n} began their trace here", { n: roots }) : "",
    unknown > 0
      ? t(
        "{n} came from something that sends no traces here|{n} came from something that sends no traces here",
        { n: unknown },
      )
      : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? t("All of them came from these callers.") : `${parts.join("; ")}.`;
}
