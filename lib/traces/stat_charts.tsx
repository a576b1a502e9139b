import type { Stats } from "../store/stats/stats.ts";
import { alongPage } from "../ui/chart_box.tsx";
import type { Tracing } from "../releases/load_tracing.ts";
import { ApdexChart, DurationChart, FailureChart, RateChart } from "./stat_chart_parts.tsx";
import type { Steps } from "../store/stats/steps.ts";

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
  const chart = { tracing, total, steps, common: alongPage(tracing, steps, path, keep) };
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      <RateChart {...chart} title={`${what} per minute`} label="throughput" />
      <DurationChart {...chart} />
      <FailureChart {...chart} title="Failure rate" label="failed" />
      <ApdexChart {...chart} />
    </div>
  );
}
