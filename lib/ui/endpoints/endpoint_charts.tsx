import { apdex, failureRate, type Stats } from "../../telemetry/stats/stats.ts";
import { TimeChart } from "../charts/mod.ts";
import { formatDuration } from "../format.ts";
import { alongPage, ChartBox } from "../tracing/chart_box.tsx";
import type { Tracing } from "../tracing/load_tracing.ts";
import { quantileSeries } from "../tracing/stat_charts.tsx";
import type { Steps } from "../tracing/steps.ts";
import { answersOf, STATUS_CLASSES } from "./status_classes.ts";

export interface EndpointChartsProps {
  readonly tracing: Tracing;
  /** Of the whole time. */
  readonly total: Stats;
  readonly steps: Steps;
  /** Of the page. */
  readonly path: string;
  readonly endpoint: string;
}

/** How an endpoint answered, how fast and how well: four charts along the time of the page. */
export function EndpointCharts({ tracing, total, steps, path, endpoint }: EndpointChartsProps) {
  const { apdexMs } = tracing;
  const common = alongPage(tracing, steps, path, { endpoint });
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      <ChartBox>
        <TimeChart
          {...common}
          id="answers"
          title="Requests per minute by status"
          unit="rate"
          series={answerSeries(steps)}
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
          id="errors"
          title="Error rate"
          unit="percent"
          series={[{
            label: "errors",
            values: steps.stats.map(failureRate),
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
            values: steps.stats.map(({ sketch }) => apdex(sketch, apdexMs)),
            whole: apdex(total.sketch, apdexMs),
            color: 3,
          }]}
        />
      </ChartBox>
    </div>
  );
}

/** One series for each status class that occurred. */
function answerSeries({ stats, minutes }: Steps) {
  const answers = stats.map(answersOf);
  return STATUS_CLASSES.map(({ label, color }, place) => ({
    label: label === "none" ? "no status" : label,
    color,
    kind: "stacked" as const,
    values: answers.map((each, step) => (each[place] ?? 0) / (minutes[step] ?? 1)),
  })).filter(({ values }) => values.some((value) => value > 0));
}
