import { type ChartMarker, type ChartProps, visibleMarkers } from "../chart_data.ts";

/**
 * The markers that a bucket is to name: those within it, and those close to its middle.
 *
 * @param from the bucket's beginning in ms
 * @param reachMs how far from the middle is close
 */
export function markersNear(chart: ChartProps, from: number, reachMs: number): ChartMarker[] {
  const middle = from + chart.bucketMs / 2;
  return visibleMarkers(chart).filter(({ at }) =>
    (at >= from && at < from + chart.bucketMs) || Math.abs(at - middle) <= reachMs
  );
}
