import type { Stats } from "../../store/stats/stats.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { alongPage, ChartBox } from "../../ui/chart_box.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { ApdexChart, DurationChart, FailureChart } from "../stat_chart_parts.tsx";
import type { Steps } from "../../store/stats/steps.ts";
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
  const common = alongPage(tracing, steps, path, { endpoint });
  const chart = { tracing, total, steps, common };
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
      <DurationChart {...chart} />
      <FailureChart {...chart} title="Error rate" label="errors" />
      <ApdexChart {...chart} />
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
