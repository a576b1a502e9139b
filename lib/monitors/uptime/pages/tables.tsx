/** Tables of checks and incidents. */
import type { CursorPage } from "@/lib/store/query_limits.ts";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { CursorPages, TablePanel } from "@/lib/ui/components/table.tsx";
import { ExactTime, RelativeTime } from "@/lib/ui/components/values.tsx";
import { formatDuration, NONE } from "@/lib/ui/format.ts";
import { traceHref } from "@/lib/ui/links.ts";
import type { Check } from "../checks.ts";
import type { Incident } from "../incidents.ts";
import { CheckBadge } from "./parts.tsx";
import { probeWords, reasonWords } from "../../probes/problem_words.ts";
import { t } from "@/lib/core/language/translate.ts";

interface CheckTableProps {
  readonly projectId: string;
  readonly checks: Pick<CursorPage<Check>, "rows" | "nextCursor" | "previousCursor">;
  /** Nothing is checked meanwhile. @default false */
  readonly isPaused?: boolean;
  readonly hrefOf: (cursor: string) => string;
}

/** Checks, the latest first. */
export function CheckTable({ projectId, checks, isPaused = false, hrefOf }: CheckTableProps) {
  return (
    <TablePanel
      title={t("Checks")}
      id="checks"
      isWide
      none={isPaused
        ? t("There is none: nothing is checked while the monitor is paused.")
        : t("There is none yet: the first one comes within seconds.")}
      rows={checks.rows}
      rowKey={({ dueAt }) => dueAt.toISOString()}
      columns={[
        { label: t("Time"), cell: ({ checkedAt }) => <ExactTime date={checkedAt} /> },
        {
          label: t("Result"),
          cell: ({ status, isMaintenance }) => (
            <CheckBadge status={status} isMaintenance={isMaintenance} />
          ),
        },
        {
          label: t("Status"),
          align: "right",
          class: "max-sm:hidden",
          cell: ({ httpStatus }) => httpStatus ?? NONE,
        },
        { label: t("Took"), align: "right", cell: ({ totalMs }) => formatDuration(totalMs) },
        {
          label: t("What was wrong"),
          cellClass: "w-full max-w-0 min-w-40 truncate",
          cell: ({ message }) => (
            <span title={probeWords(message)}>{probeWords(message) || NONE}</span>
          ),
        },
        {
          label: t("Trace"),
          class: "max-md:hidden",
          cell: ({ traceId }) =>
            traceId === null ? NONE : (
              <a
                class="link font-mono text-meta"
                href={traceHref(projectId, traceId)}
                title={t("What the target did for this check, if it sends its traces here")}
              >
                {traceId.slice(0, 8)}
              </a>
            ),
        },
      ]}
    >
      {(checks.nextCursor !== null || checks.previousCursor !== null) && (
        <CursorPages page={checks} hrefOf={hrefOf} label={t("Pages of checks")} />
      )}
    </TablePanel>
  );
}

interface IncidentTableProps {
  readonly incidents: readonly Incident[];
  readonly now: Date;
  readonly hrefOf: (incident: Incident) => string;
}

/** Incidents, the latest first. */
export function IncidentTable({ incidents, now, hrefOf }: IncidentTableProps) {
  return (
    <TablePanel
      title={t("Incidents")}
      id="incidents"
      none={t("It was never down.")}
      rows={incidents}
      rowKey={({ incidentId }) => incidentId}
      columns={[
        {
          label: t("Incident"),
          cellClass: "w-full max-w-0 min-w-40",
          cell: (incident) => (
            <a
              class="row-link block truncate"
              href={hrefOf(incident)}
              title={probeWords(incident.message)}
            >
              {probeWords(incident.message) || reasonWords(incident.reason)}
            </a>
          ),
        },
        { label: t("Began"), cell: ({ openedAt }) => <RelativeTime date={openedAt} now={now} /> },
        {
          label: t("Lasted"),
          align: "right",
          cell: ({ openedAt, closedAt }) => (
            <span class="inline-flex items-center gap-1.5 whitespace-nowrap">
              {closedAt === null && <Badge tone="danger" icon="error">{t("goes on")}</Badge>}
              {formatDuration((closedAt ?? now).getTime() - openedAt.getTime())}
            </span>
          ),
        },
      ]}
    />
  );
}
