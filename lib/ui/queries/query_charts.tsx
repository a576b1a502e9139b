import { averageOf, failureRate, type Stats } from "../../telemetry/stats/stats.ts";
import { TimeChart } from "../charts/mod.ts";
import { alongPage, ChartBox } from "../tracing/chart_box.tsx";
import type { Tracing } from "../tracing/load_tracing.ts";
import { minutesOf, quantilesOf, ratesOf, type Steps } from "../tracing/steps.ts";
import type { QueryParams } from "./load_detail.ts";

export interface QueryChartsProps {
  readonly tracing: Tracing;
  /** Of the whole time. */
  readonly total: Stats;
  readonly steps: Steps;
  /** Of the page. */
  readonly path: string;
  readonly params: QueryParams;
}

/** How often, how long, how often in vain: three charts along the time of the page. */
export function QueryCharts({ tracing, total, steps, path, params }: QueryChartsProps) {
  const common = alongPage(tracing, steps, path, { ...params });
  return (
    <div class="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <ChartBox>
        <TimeChart
          {...common}
          id="throughput"
          title="Calls per minute"
          unit="rate"
          series={[{
            label: "calls",
            values: ratesOf(steps),
            kind: "area",
            whole: total.weight / minutesOf(tracing.interval, tracing.now),
          }]}
        />
      </ChartBox>
      <ChartBox>
        <TimeChart
          {...common}
          id="durations"
          title="Duration"
          unit="duration"
          series={[
            { label: "average", values: steps.stats.map(averageOf), whole: averageOf(total) },
            {
              label: "p95",
              values: quantilesOf(steps, 0.95),
              whole: total.sketch.quantile(0.95),
            },
          ]}
        />
      </ChartBox>
      <ChartBox class="lg:max-xl:col-span-2">
        <TimeChart
          {...common}
          id="failures"
          title="Failure rate"
          unit="percent"
          series={[{
            label: "failed",
            values: steps.stats.map(failureRate),
            whole: failureRate(total),
            color: "danger",
            kind: "area",
          }]}
        />
      </ChartBox>
    </div>
  );
}
