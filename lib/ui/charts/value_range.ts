/** How high a chart reaches, so that all it has to show is in it. */
import {
  type ChartProps,
  type ChartSeries,
  type ChartUnit,
  isReal,
  visibleDots,
} from "./chart_data.ts";

export interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** Air over the highest value, and over a threshold, whose label stands there. */
const HEADROOM = 1.06;
const THRESHOLD_HEADROOM = 1.16;

/**
 * The values from the bottom to the top of the plot. Zero is always in it, and so are threshold and goal: the
 * distance to them is what people look for. So are dots: at the edge, they would tell another value than theirs.
 */
export function valueRange(chart: ChartProps): ValueRange {
  const { unit, series, threshold, goal, levels = [] } = chart;
  const stacked = series.filter(isStacked);
  const alone = series.filter((one) => !isStacked(one));
  const atLevels = levels.map(({ value }) => value);
  const limits = [threshold?.value ?? 0, goal?.value ?? 0, ...atLevels];
  let low = Math.min(0, ...limits);
  let high = Math.max(0, ...limits);
  const atDots = visibleDots(chart).map(({ value }) => value);
  for (const value of [...alone.flatMap(({ values }) => values), ...totals(stacked), ...atDots]) {
    if (!isReal(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const range = padded(low, high, unit);
  const labelled = Math.max(threshold?.value ?? 0, ...atLevels);
  return { ...range, high: Math.max(range.high, labelled * THRESHOLD_HEADROOM) };
}

/** Whether a series stands upon those before it. */
export function isStacked({ kind }: { readonly kind?: ChartSeries["kind"] | undefined }): boolean {
  return kind === "stacked" || kind === "stacked-area";
}

/** A range from 0 for counts. */
export function countRange(counts: readonly number[]): ValueRange {
  return padded(0, Math.max(0, ...counts), "count");
}

/** Where each stacked series begins and ends in each bucket; null where it has no value. */
export function stack(
  series: readonly ChartSeries[],
): (readonly ({ readonly from: number; readonly to: number } | null)[])[] {
  const reached: number[] = [];
  return series.map(({ values }) =>
    values.map((value, bucket) => {
      if (!isReal(value)) return null;
      const from = reached[bucket] ?? 0;
      reached[bucket] = from + Math.max(0, value);
      return { from, to: from + Math.max(0, value) };
    })
  );
}

function totals(stacked: readonly ChartSeries[]): number[] {
  return stack(stacked).flatMap((spans) => spans.map((span) => span?.to ?? 0));
}

function padded(low: number, high: number, unit: ChartUnit): ValueRange {
  if (low === 0 && high === 0) return { low, high: unit === "percent" ? 0.01 : 1 };
  // Nothing can be above all.
  const isWhole = unit === "percent" && high <= 1;
  const top = high * HEADROOM;
  return { low: low * HEADROOM, high: isWhole ? Math.min(1, top) : top };
}
