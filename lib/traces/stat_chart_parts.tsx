/** Charts of counts along the time of a page, each in its box. */
import { apdex, failureRate, type Stats } from "../store/stats/stats.ts";
import { TimeChart } from "../ui/charts/mod.ts";
import { formatDuration } from "../ui/format.ts";
import { type AlongPage, ChartBox } from "../ui/chart_box.tsx";
import type { Tracing } from "../releases/load_tracing.ts";
import { minutesOf, quantilesOf, ratesOf, type Steps } from "../store/stats/steps.ts";

export interface StatChartProps {
  readonly tracing: Tracing;
  /** As of `alongPage()`. */
  readonly common: AlongPage;
  /** Of the whole time. */
  readonly total: Stats;
  readonly steps: Steps;
}

interface Named {
  readonly title: string;
  /** Of the series. */
  readonly label: string;
}

/** How often. */
export function RateChart({ tracing, common, total, steps, title, label }: StatChartProps & Named) {
  return (
    <ChartBox>
      <TimeChart
        {...common}
        id="throughput"
        title={title}
        unit="rate"
        series={[{
          label,
          values: ratesOf(steps),
          kind: "area",
          whole: total.weight / minutesOf(tracing.interval, tracing.now),
        }]}
      />
    </ChartBox>
  );
}

/** How fast: p50, p75, p95 and p99. */
export function DurationChart({ common, total, steps }: StatChartProps) {
  return (
    <ChartBox>
      <TimeChart
        {...common}
        id="durations"
        title="Duration"
        unit="duration"
        series={[0.5, 0.75, 0.95, 0.99].map((share) => ({
          label: `p${share * 100}`,
          values: quantilesOf(steps, share),
          whole: total.sketch.quantile(share),
        }))}
      />
    </ChartBox>
  );
}

/** How often in vain. */
export function FailureChart(
  { common, total, steps, title, label, class: classes }: StatChartProps & Named & {
    readonly class?: string;
  },
) {
  return (
    <ChartBox {...classes === undefined ? {} : { class: classes }}>
      <TimeChart
        {...common}
        id="failures"
        title={title}
        unit="percent"
        series={[{
          label,
          values: steps.stats.map(failureRate),
          whole: failureRate(total),
          color: "danger",
          kind: "area",
        }]}
      />
    </ChartBox>
  );
}

/** How satisfied. */
export function ApdexChart({ tracing: { apdexMs }, common, total, steps }: StatChartProps) {
  return (
    <ChartBox>
      <TimeChart
        {...common}
        id="apdex"
        title="Apdex"
        unit="score"
        note={`Within ${formatDuration(apdexMs)} counts whole, within four times of it half.`}
        series={[{
          label: "Apdex",
          values: steps.stats.map(({ sketch }) => apdex(sketch, apdexMs)),
          whole: apdex(total.sketch, apdexMs),
          color: 3,
        }]}
      />
    </ChartBox>
  );
}
