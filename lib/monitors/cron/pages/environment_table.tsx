import { rich, t } from "@/lib/core/language/translate.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { HiddenFields } from "@/lib/ui/components/fields.tsx";
import { type RowColumn, TablePanel } from "@/lib/ui/components/table.tsx";
import { RelativeTime } from "@/lib/ui/components/values.tsx";
import { NONE } from "@/lib/ui/format.ts";
import { issuePath } from "@/lib/ui/links.ts";
import type { Monitor, MonitorEnvironment } from "../monitors.ts";
import type { Bar } from "../runs.ts";
import { standingOf } from "../words.ts";
import { NextExpected, StandingBadge, Timeline } from "./parts.tsx";

interface EnvironmentTableProps {
  readonly monitor: Monitor;
  readonly bars: ReadonlyMap<string, readonly Bar[]>;
  readonly mayWrite: boolean;
}

/** How a job stands where it runs. Renders nothing before its first check-in. */
export function EnvironmentTable({ monitor, bars, mayWrite }: EnvironmentTableProps) {
  if (monitor.environments.length === 0) return null;
  const columns: RowColumn<MonitorEnvironment>[] = [
    {
      label: t("Environment"),
      class: "max-w-48 truncate font-medium",
      cell: ({ environment }) => environment || NONE,
    },
    {
      label: t("State"),
      cell: (state) => (
        <span class="flex flex-wrap items-center gap-2">
          <StandingBadge standing={standingOf(monitor, state)} />
          <Incident projectId={monitor.projectId} state={state} />
        </span>
      ),
    },
    {
      label: t("Last runs"),
      help: t("The newest at the right"),
      cell: ({ environment }) => <Timeline bars={bars.get(environment) ?? []} />,
    },
    {
      label: t("Last check-in"),
      align: "right",
      cell: ({ lastCheckInAt }) => <RelativeTime date={lastCheckInAt} />,
    },
    {
      label: t("Next expected"),
      align: "right",
      cell: ({ nextAt }) => <NextExpected at={monitor.isActive ? nextAt : null} />,
    },
    {
      label: t("Actions"),
      isLabelHidden: true,
      align: "right",
      cell: (state) => <Act state={state} />,
    },
  ];
  return (
    <TablePanel
      title={t("Environments")}
      id="environments"
      columns={mayWrite ? columns : columns.slice(0, -1)}
      rows={monitor.environments}
      rowKey={({ environment }) => environment}
      density="comfortable"
    />
  );
}

function Incident({ projectId, state: { incident } }: {
  readonly projectId: string;
  readonly state: MonitorEnvironment;
}) {
  if (incident === null) return null;
  return (
    <span class="text-sm whitespace-nowrap text-muted">
      {rich("since {time}", { time: <RelativeTime date={incident.startedAt} /> })}
      {incident.issueId !== null && (
        <>
          {" · "}
          <a class="link" href={issuePath(projectId, incident.issueId)}>{t("issue")}</a>
        </>
      )}
    </span>
  );
}

function Act({ state: { environment, isMuted } }: { readonly state: MonitorEnvironment }) {
  const action = isMuted ? "unmute-environment" : "mute-environment";
  const word = isMuted ? t("Unmute") : t("Mute");
  return (
    <form method="post" class="inline-flex gap-2">
      <HiddenFields pairs={[["environment", environment]]} />
      <Button size="sm" name="action" value={action} aria-label={`${word}: ${environment}`}>
        {word}
      </Button>
    </form>
  );
}
