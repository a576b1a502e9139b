/** Points of series, column by column, as they are read and computed with. */
import type { HistogramPoint, Temporality } from "../records/metric_batch.ts";
import type { Histogram } from "./histogram.ts";

/** Lists of one length, by ascending time. */
export interface NumberColumns {
  /** Milliseconds since 1970, to the microsecond. */
  readonly times: Float64Array;
  /** 0: unknown. */
  readonly starts: Float64Array;
  readonly values: Float64Array;
}

/** Points of a counter or a gauge as they were written. */
export interface RawNumbers extends NumberColumns {
  readonly shape: "number";
  readonly seriesId: string;
  readonly temporality: Temporality;
}

/** Points of a histogram as they were written, by ascending time. */
export interface RawHistograms {
  readonly shape: "histogram";
  readonly seriesId: string;
  readonly temporality: Temporality;
  readonly points: readonly HistogramPoint[];
}

export type RawSeries = RawNumbers | RawHistograms;

/** What a counter grew by in each step that has a point; 0 where it has points but is not known to have grown. */
export interface CounterSteps {
  readonly kind: "counter";
  readonly seriesId: string;
  /** Beginnings of the steps, ascending. */
  readonly times: Float64Array;
  readonly increases: Float64Array;
}

/** What a gauge was in each step that has a point. */
export interface GaugeSteps {
  readonly kind: "gauge";
  readonly seriesId: string;
  readonly times: Float64Array;
  /** Points, at least 1. */
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;
  readonly lasts: Float64Array;
}

/** What was observed in each step that has a point; of count 0 where nothing is known to have been. */
export interface HistogramSteps {
  readonly kind: "histogram";
  readonly seriesId: string;
  readonly times: Float64Array;
  readonly histograms: readonly Histogram[];
}

/** A series added up by step: a minute, an hour, or what somebody asks for. */
export type SeriesSteps = CounterSteps | GaugeSteps | HistogramSteps;
