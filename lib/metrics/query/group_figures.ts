import type { MetricKind } from "../../records/metric_batch.ts";
import type { SeriesSteps } from "../points.ts";
import type { Aggregation } from "../query_types.ts";
import { CounterFigures } from "./counter_figures.ts";
import { GaugeFigures } from "./gauge_figures.ts";
import { HistogramFigures } from "./histogram_figures.ts";
import { HistogramNumbers } from "./histogram_numbers.ts";
import { isQuantile } from "../quantiles.ts";
import type { Labels } from "../matchers.ts";
import type { Steps } from "./steps.ts";

/** What groups of series come to, step by step and over the whole time; series are added one after the other. */
export interface GroupFigures {
  /** @param steps of one series, ascending */
  add(group: number, steps: SeriesSteps, labels: Labels): void;
  /** @param place of a step; null where the group has nothing */
  value(group: number, place: number): number | null;
  /** As though the whole time were one step. */
  whole(group: number): number | null;
  /** Whether histograms were merged that do not have the same bounds. */
  readonly isCoarsened: boolean;
}

/** How the steps lie, and what is known of the points in them. */
export interface FigureSteps extends Steps {
  /** How often points come; 0: unknown. */
  readonly usualIntervalMs: number;
  /** The step that holds it is not over. */
  readonly nowMs: number;
}

/** Figures for a kind of metric and an aggregation that it has. */
export function groupFigures(
  kind: MetricKind,
  aggregation: Aggregation,
  groupCount: number,
  steps: FigureSteps,
): GroupFigures {
  if (kind === "gauge") return new GaugeFigures(aggregation, groupCount, steps);
  if (kind === "counter") return new CounterFigures(aggregation, groupCount, steps);
  const needsBuckets = isQuantile(aggregation) || aggregation === "min" || aggregation === "max";
  return needsBuckets
    ? new HistogramFigures(aggregation, groupCount, steps)
    : new HistogramNumbers(aggregation, groupCount, steps);
}

/** The step that a beginning of a minute, an hour or a step lies in; outside of 0 … count - 1 for other times. */
export function placeOf(timeMs: number, { startMs, stepMs }: Steps): number {
  return Math.floor((timeMs - startMs) / stepMs);
}
