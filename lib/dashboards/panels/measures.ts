/** What is measured of transactions, in words and as a chart. */
import type { Measure } from "../content.ts";
import { apdex, failureRate, type Stats } from "../../store/stats/stats.ts";
import type { ChartSeries, ChartUnit } from "../../ui/charts/mod.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { minutesOf, quantilesOf, ratesOf, type Steps } from "../../store/stats/steps.ts";

export const MEASURE_WORDS: Readonly<Record<Measure, string>> = {
  throughput: "Throughput",
  p50: "Duration, p50",
  p95: "Duration, p95",
  p99: "Duration, p99",
  failure_rate: "Failure rate",
  apdex: "Apdex",
};

/** One measure along time. */
export function measured(
  measure: Measure,
  tracing: Tracing,
  total: Stats,
  steps: Steps,
): { readonly unit: ChartUnit; readonly series: ChartSeries } {
  switch (measure) {
    case "throughput": {
      const whole = total.weight / minutesOf(tracing.interval, tracing.now);
      return {
        unit: "rate",
        series: { label: "throughput", values: ratesOf(steps), kind: "area", whole },
      };
    }
    case "failure_rate":
      return {
        unit: "percent",
        series: {
          label: "failed",
          values: steps.stats.map(failureRate),
          whole: failureRate(total),
          kind: "area",
          color: "danger",
        },
      };
    case "apdex":
      return {
        unit: "score",
        series: {
          label: "Apdex",
          values: steps.stats.map(({ sketch }) => apdex(sketch, tracing.apdexMs)),
          whole: apdex(total.sketch, tracing.apdexMs),
          color: 3,
        },
      };
    default: {
      const share = Number(measure.slice(1)) / 100;
      return {
        unit: "duration",
        series: {
          label: measure,
          values: quantilesOf(steps, share),
          whole: total.sketch.quantile(share),
        },
      };
    }
  }
}
