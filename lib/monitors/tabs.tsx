import { Tabs } from "../ui/components/page.tsx";
import { cronsPath, monitorsPath } from "../ui/links.ts";

type MonitorsTab = "uptime" | "crons";

/** What is watched from outside, and what reports itself. */
export function MonitorsTabs({ projectId, current }: {
  readonly projectId: string;
  readonly current: MonitorsTab;
}) {
  return (
    <Tabs
      label="Kinds of monitors"
      tabs={[
        { href: monitorsPath(projectId), label: "Uptime", isCurrent: current === "uptime" },
        { href: cronsPath(projectId), label: "Cron jobs", isCurrent: current === "crons" },
      ]}
    />
  );
}
