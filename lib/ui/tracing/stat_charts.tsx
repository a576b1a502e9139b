import { apdex, failureRate } from "../../telemetry/stats/stats.ts";
import { TimeChart } from "../charts/mod.ts";
import { formatDuration } from "../format.ts";
import { alongPage, ChartBox } from "./chart_box.tsx";
import type { Tracing } from "./load_tracing.ts";
import { quantilesOf, ratesOf, type Steps } from "./steps.ts";

export interface StatChartsProps {
  readonly tracing: Tracing;
  readonly steps: Steps;
  /** Of the page. */
  readonly path: string;
  /** Other parameters of the page, which choosing a time keeps. */
  readonly keep?: Readonly<Record<string, string | null | undefined>>;
  /** What is counted, as `Transactions`. */
  readonly what: string;
}

/** How often, how fast, how well: four charts along the time of the page, with one crosshair. */
export function StatCharts({ tracing, steps, path, keep = {}, what }: StatChartsProps) {
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
          series={[{ label: "throughput", values: ratesOf(steps), kind: "area" }]}
        />
      </ChartBox>
      <ChartBox>
        <TimeChart
          {...common}
          id="durations"
          title="Duration"
          unit="duration"
          series={[
            { label: "p50", values: quantilesOf(steps, 0.5) },
            { label: "p75", values: quantilesOf(steps, 0.75) },
            { label: "p95", values: quantilesOf(steps, 0.95) },
            { label: "p99", values: quantilesOf(steps, 0.99) },
          ]}
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
            color: 3,
          }]}
        />
      </ChartBox>
    </div>
  );
}
