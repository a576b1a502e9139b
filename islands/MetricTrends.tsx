import { useEffect } from "preact/hooks";
import { fillTrends } from "../lib/metrics/list/fill_trends.ts";

/** Fills in what was late when the list of metrics was made. It draws nothing. */
export default function MetricTrends() {
  useEffect(fillTrends, []);
  return <span hidden />;
}
