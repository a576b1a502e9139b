import { Tabs } from "../ui/components/page.tsx";
import { t } from "../core/language/translate.ts";
import { cronsPath, monitorsPath } from "../ui/links.ts";

type MonitorsTab = "uptime" | "crons";

/** What is watched from outside, and what reports itself. */
export function MonitorsTabs({ projectId, current }: {
  readonly projectId: string;
  readonly current: MonitorsTab;
}) {
  return (
    <Tabs
      label={t("Kinds of monitors")}
      tabs={[
        { href: monitorsPath(projectId), label: t("Uptime"), isCurrent: current === "uptime" },
        { href: cronsPath(projectId), label: t("Cron jobs"), isCurrent: current === "crons" },
      ]}
    />
  );
}
