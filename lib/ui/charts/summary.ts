/** The figures that sum a series up. */
import { type ChartSeries, type ChartUnit, isReal } from "./chart_data.ts";
import { formatValue } from "./value_format.ts";

export interface SeriesSummary {
  /** What `main` is: counts have a total, everything else a last value. */
  readonly word: "total" | "last";
  readonly main: number | null;
  /** Mean of the buckets that have a value. */
  readonly average: number | null;
}

/** Total or last value, and average; nulls where there is no value at all. */
export function summarize(values: readonly (number | null)[], unit: ChartUnit): SeriesSummary {
  const real = values.filter(isReal);
  const sum = real.reduce((total, value) => total + value, 0);
  const average = real.length === 0 ? null : sum / real.length;
  return unit === "count"
    ? { word: "total", main: real.length === 0 ? null : sum, average }
    : { word: "last", main: real.at(-1) ?? null, average };
}

/** A series in words: `p95 last 12.3 ms, average 14.1 ms`. */
export function seriesWords({ label, values, whole }: ChartSeries, unit: ChartUnit): string {
  const { word, main, average } = summarize(values, unit);
  const rest = whole === undefined
    ? `average ${formatValue(average, unit)}`
    : `over the whole time ${formatValue(whole, unit)}`;
  return `${label} ${word} ${formatValue(main, unit)}, ${rest}`;
}
