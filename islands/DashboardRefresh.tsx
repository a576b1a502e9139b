import { useEffect, useState } from "preact/hooks";
import { rich, t } from "../lib/core/language/translate.ts";
import { refreshEvery } from "../lib/dashboards/live.ts";
import { Alert } from "../lib/ui/components/panel.tsx";
import { ExactTime } from "../lib/ui/components/values.tsx";

export interface DashboardRefreshProps {
  readonly seconds: number;
  /** When what is shown was read, in ms. */
  readonly readAt: number;
}

/** Loads the page anew from time to time. It draws nothing while that works. */
export default function DashboardRefresh({ seconds, readAt }: DashboardRefreshProps) {
  const [isAway, setAway] = useState(false);
  useEffect(() => refreshEvery(seconds * 1000, () => setAway(true)), [seconds]);
  if (!isAway) return <span hidden />;
  return (
    <Alert kind="warning" title={t("Watchpost does not answer")} isLive class="mb-3">
      {rich("What you see is from {time}. It is loaded anew once there is an answer.", {
        time: <ExactTime date={new Date(readAt)} />,
      })}
    </Alert>
  );
}
