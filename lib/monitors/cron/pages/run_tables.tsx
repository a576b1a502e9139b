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
    { label: "Run", cell: (run) => <State run={run} /> },
    { label: "Began", cell: ({ startedAt }) => <ExactTime date={startedAt} /> },
    {
      label: "Environment",
      class: "max-w-40 truncate",
      cell: ({ environment }) => environment || NONE,
    },
    { label: "Release", class: "max-w-40 truncate", cell: ({ release }) => release || NONE },
    { label: "Took", align: "right", cell: ({ durationMs }) => formatDuration(durationMs) },
    {
      label: "Errors",
      align: "right",
      help: "In the trace of the run",
      cell: ({ traceId }) => {
        const count = traceId === null ? 0 : errorsByTrace.get(traceId) ?? 0;
        if (traceId === null || count === 0) return NONE;
        const href = queryHref(issuesPath(projectId), [["query", `trace:${traceId}`]]);
        return (
          <a class="link" href={href}>
            <Count value={count} unit="errors" />
          </a>
        );
      },
    },
    {
      label: "More",
      isLabelHidden: true,
      align: "right",
      cell: ({ traceId, hasLog, checkInId, startedAt }) => (
        <span class="inline-flex gap-3">
          {hasLog && (
            <a
              class="link"
              href={logHref(checkInId)}
              aria-label={`Log of ${formatDateTime(startedAt)}`}
            >
              Log
            </a>
          )}
          {traceId !== null && (
            <a
              class="link"
              href={traceHref(projectId, traceId)}
              aria-label={`Trace of ${formatDateTime(startedAt)}`}
            >
              Trace
            </a>
          )}
        </span>
      ),
    },
  ];
  return (
    <RowTable
      caption="Runs"
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
        <Badge tone="warning" icon="clock" title={`Expected ${formatDateTime(expected)}`}>
          late
        </Badge>
      )}
      {run.isOverlapping && (
        <Badge tone="warning" icon="merge" title="It began before the run before it had ended">
          overlaps
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
    { label: "Since", cell: ({ startedAt }) => <ExactTime date={startedAt} /> },
    {
      label: "Environment",
      class: "max-w-40 truncate",
      cell: ({ environment }) => environment || NONE,
    },
    {
      label: "Ended",
      cell: ({ resolvedAt }) =>
        resolvedAt === null
          ? <Badge tone="danger" icon="error">still failing</Badge>
          : <RelativeTime date={resolvedAt} />,
    },
    {
      label: "Lasted",
      align: "right",
      cell: ({ startedAt, resolvedAt }) =>
        formatDuration((resolvedAt ?? new Date()).getTime() - startedAt.getTime()),
    },
    {
      label: "Failed runs",
      align: "right",
      cell: ({ failures }) => <Count value={failures} unit="failed runs" />,
    },
    {
      label: "Issue",
      align: "right",
      cell: ({ issueId }) =>
        issueId === null
          ? NONE
          : <a class="link" href={issuePath(projectId, issueId)}>{`#${issueId}`}</a>,
    },
  ];
  return (
    <RowTable
      caption="Incidents"
      isWide
      columns={columns}
      rows={incidents}
      rowKey={({ incidentId }) => incidentId}
    />
  );
}
