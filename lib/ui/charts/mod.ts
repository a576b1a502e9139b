/** The charts that pages are built from. */
export type {
  ChartBand,
  ChartColor,
  ChartDot,
  ChartLevel,
  ChartMarker,
  ChartProps,
  ChartSeries,
  ChartThreshold,
  ChartUnit,
} from "./chart_data.ts";
export { formatValue, unitWords } from "./chart_data.ts";
export type { DurationBucket, DurationRange } from "./axis.ts";
export * from "./histogram.tsx";
export * from "./share_bar.tsx";
export * from "./time_chart.tsx";
