/** The charts that pages are built from. */
export type { ChartColor } from "./chart_data.ts";
export type {
  ChartBand,
  ChartDot,
  ChartLevel,
  ChartMarker,
  ChartProps,
  ChartSeries,
  ChartThreshold,
  ChartUnit,
} from "./chart_data.ts";
export { formatValue, unitWords } from "./value_format.ts";
export type { DurationRange } from "./log_axis.ts";
export type { DurationBucket } from "./log_axis.ts";
export * from "./histogram.tsx";
export * from "./share_bar.tsx";
export * from "./share_bar.tsx";
export * from "./time_chart.tsx";
