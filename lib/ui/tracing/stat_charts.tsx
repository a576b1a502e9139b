import { apdex, failureRate, type Stats } from "../../telemetry/stats/stats.ts";
import { TimeChart } from "../charts/mod.ts";
import { formatDuration } from "../format.ts";
import { alongPage, ChartBox } from "./chart_box.tsx";
import type { Tracing } from "./load_tracing.ts";
import { minutesOf, quantilesOf, ratesOf, type Steps } from "./steps.ts";

export interface StatChartsProps {
  readonly tracing: Tracing;
  /** Of the whole time. */
  readonly total: Stats;
  readonly steps: Steps;
  /** Of the page. */
  readonly path: string;
  /** Other parameters of the page, which choosing a time keeps. */
  readonly keep?: Readonly<Record<string, string | null | undefined>>;
  /** What is counted, as `Transactions`. */
  readonly what: string;
}

/** How often, how fast, how well: four charts along the time of the page, with one crosshair. */
export function StatCharts({ tracing, total, steps, path, keep = {}, what }: StatChartsProps) {
  const { apdexMs } = tracing;
  const common = alongPage(tracing, steps, path, keep);
  const perStep = (of: (stats: Steps["stats"][number]) => number | null) => steps.stats.map(of);
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      <ChartBox>
        <TimeChart
          {...common}
          id="throughput"
          title={`${what} per minute`}
          unit="rate"
          series={[{
            label: "throughput",
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
          series={quantileSeries(steps, total)}
        />
      </ChartBox>
      <ChartBox>
        <TimeChart
          {...common}
          id="failures"
          title="Failure rate"
          unit="percent"
          series={[{
            label: "failed",
            values: perStep(failureRate),
            whole: failureRate(total),
            color: "danger",
            kind: "area",
          }]}
        />
      </ChartBox>
      <ChartBox>
        <TimeChart
          {...common}
          id="apdex"
          title="Apdex"
          unit="score"
          note={`Within ${formatDuration(apdexMs)} counts whole, within four times of it half.`}
          series={[{
            label: "Apdex",
            values: perStep(({ sketch }) => apdex(sketch, apdexMs)),
            whole: apdex(total.sketch, apdexMs),
            color: 3,
          }]}
        />
      </ChartBox>
    </div>
  );
}

/** p50, p75, p95 and p99 along the time. */
export function quantileSeries(steps: Steps, { sketch }: Pick<Stats, "sketch">) {
  return [0.5, 0.75, 0.95, 0.99].map((share) => ({
    label: `p${share * 100}`,
    values: quantilesOf(steps, share),
    whole: sketch.quantile(share),
  }));
}
