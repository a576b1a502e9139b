import { averageOf, type Stats } from "../../store/stats/stats.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { alongPage, ChartBox } from "../../ui/chart_box.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { FailureChart, RateChart } from "../stat_chart_parts.tsx";
import { quantilesOf, type Steps } from "../../store/stats/steps.ts";
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
  const chart = { tracing, total, steps, common };
  const { sketch } = total;
  return (
    <div class="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <RateChart {...chart} title="Calls per minute" label="calls" />
      <ChartBox>
        <TimeChart
          {...common}
          id="durations"
          title="Duration"
          unit="duration"
          series={[
            { label: "average", values: steps.stats.map(averageOf), whole: averageOf(total) },
            { label: "p95", values: quantilesOf(steps, 0.95), whole: sketch.quantile(0.95) },
          ]}
        />
      </ChartBox>
      <FailureChart
        {...chart}
        title="Failure rate"
        label="failed"
        class="lg:max-xl:col-span-2"
      />
    </div>
  );
}
