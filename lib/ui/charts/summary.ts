/** The figures that sum a series up. */
import { type ChartUnit, isReal } from "./chart_data.ts";
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

/** A summary in words: `last 12.3 ms, average 14.1 ms`. */
export function summaryWords({ word, main, average }: SeriesSummary, unit: ChartUnit): string {
  return `${word} ${formatValue(main, unit)}, average ${formatValue(average, unit)}`;
}
