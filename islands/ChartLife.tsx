import { useEffect } from "preact/hooks";
import { type PackedChart, unpackChart } from "../lib/ui/charts/packed_chart.ts";
import { startChart } from "../lib/ui/charts/live/chart_life.ts";

export interface ChartLifeProps {
  /** The chart that stands in the page already, found by its id. */
  readonly chart: PackedChart;
}

/** Crosshair, reading by keyboard and zooming by dragging, for one chart. It draws nothing of its own. */
export default function ChartLife({ chart }: ChartLifeProps) {
  useEffect(() => startChart(unpackChart(chart)) ?? undefined, [chart]);
  return <span hidden />;
}
