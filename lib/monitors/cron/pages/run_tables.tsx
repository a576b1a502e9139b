import { t } from "@/lib/core/language/translate.ts";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { type RowColumn, RowTable } from "@/lib/ui/components/table.tsx";
import { Count, ExactTime, RelativeTime } from "@/lib/ui/components/values.tsx";
import { formatDateTime, formatDuration, NONE } from "@/lib/ui/format.ts";
import { issuePath, issuesPath, queryHref, traceHref } from "@/lib/ui/links.ts";
import { type Incident, lateFor, type StoredRun } from "../runs.ts";
import { RunBadge } from "./parts.tsx";

interface RunTableProps {
  readonly projectId: string;
  readonly runs: readonly StoredRun[];
  readonly errorsByTrace: ReadonlyMap<string, number>;
  readonly logHref: (checkInId: string) => string;
}

/** Runs with what they took, and where to look further. */
export function RunTable({ projectId, runs, errorsByTrace, logHref }: RunTableProps) {
  const columns: RowColumn<StoredRun>[] = [
    { label: t("Run"), cell: (run) => <State run={run} /> },
    { label: t("Began"), cell: ({ startedAt }) => <ExactTime date={startedAt} /> },
    {
      label: t("Environment"),
      class: "max-w-40 truncate",
      cell: ({ environment }) => environment || NONE,
    },
    { label: t("Release"), class: "max-w-40 truncate", cell: ({ release }) => release || NONE },
    { label: t("Took"), align: "right", cell: ({ durationMs }) => formatDuration(durationMs) },
    {
      label: t("Errors"),
      align: "right",
      help: t("In the trace of the run"),
      cell: ({ traceId }) => {
        const count = traceId === null ? 0 : errorsByTrace.get(traceId) ?? 0;
        if (traceId === null || count === 0) return NONE;
        const href = queryHref(issuesPath(projectId), [["query", `trace:${traceId}`]]);
        return (
          <a class="link" href={href}>
            <Count value={count} unit="{n} error|{n} errors" />
          </a>
        );
      },
    },
    {
      label: t("More"),
      isLabelHidden: true,
      align: "right",
      cell: ({ traceId, hasLog, checkInId, startedAt }) => (
        <span class="inline-flex gap-3">
          {hasLog && (
            <a
              class="link"
              href={logHref(checkInId)}
              aria-label={t("Log of {time}", { time: formatDateTime(startedAt) })}
            >
              {t("Log")}
            </a>
          )}
          {traceId !== null && (
            <a
              class="link"
              href={traceHref(projectId, traceId)}
              aria-label={t("Trace of {time}", { time: formatDateTime(startedAt) })}
            >
              {t("Trace")}
            </a>
          )}
        </span>
      ),
    },
  ];
  return (
    <RowTable
      caption={t("Runs")}
      isWide
      columns={columns}
      rows={runs}
      rowKey={({ checkInId }) => checkInId}
    />
  );
}

function State({ run }: { readonly run: StoredRun }) {
  const expected = lateFor(run);
  return (
    <span class="inline-flex flex-wrap items-center gap-1.5">
      <RunBadge status={run.status} />
      {expected !== null && (
        <Badge
          tone="warning"
          icon="clock"
          title={t("Expected {time}", { time: formatDateTime(expected) })}
        >
          {t("late")}
        </Badge>
      )}
      {run.isOverlapping && (
        <Badge tone="warning" icon="merge" title={t("It began before the run before it had ended")}>
          {t("overlaps")}
        </Badge>
      )}
    </span>
  );
}

interface IncidentTableProps {
  readonly projectId: string;
  readonly incidents: readonly Incident[];
}

/** What went wrong and for how long. */
export function IncidentTable({ projectId, incidents }: IncidentTableProps) {
  const columns: RowColumn<Incident>[] = [
    { label: t("Since"), cell: ({ startedAt }) => <ExactTime date={startedAt} /> },
    {
      label: t("Environment"),
      class: "max-w-40 truncate",
      cell: ({ environment }) => environment || NONE,
    },
    {
      label: t("Ended"),
      cell: ({ resolvedAt }) =>
        resolvedAt === null
          ? <Badge tone="danger" icon="error">{t("still failing")}</Badge>
          : <RelativeTime date={resolvedAt} />,
    },
    {
      label: t("Lasted"),
      align: "right",
      cell: ({ startedAt, resolvedAt }) =>
        formatDuration((resolvedAt ?? new Date()).getTime() - startedAt.getTime()),
    },
    {
      label: t("Failed runs"),
      align: "right",
      cell: ({ failures }) => <Count value={failures} unit="{n} failed run|{n} failed runs" />,
    },
    {
      label: t("Issue"),
      align: "right",
      cell: ({ issueId }) =>
        issueId === null
          ? NONE
          : <a class="link" href={issuePath(projectId, issueId)}>{`#${issueId}`}</a>,
    },
  ];
  return (
    <RowTable
      caption={t("Incidents")}
      isWide
      columns={columns}
      rows={incidents}
      rowKey={({ incidentId }) => incidentId}
    />
  );
}
