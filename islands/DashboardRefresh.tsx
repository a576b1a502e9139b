import { useEffect } from "preact/hooks";
import { refreshEvery } from "../lib/dashboards/live.ts";

export interface DashboardRefreshProps {
  readonly seconds: number;
}

/** Loads the page anew from time to time. It draws nothing. */
export default function DashboardRefresh({ seconds }: DashboardRefreshProps) {
  useEffect(() => refreshEvery(seconds * 1000), [seconds]);
  return <span hidden />;
}
