import { apdex, averageOf, failureRate, type Stats } from "../store/stats/stats.ts";
import { formatDuration, formatExact, formatPercent, formatRate, NONE } from "../ui/format.ts";
import { FigureStrip } from "../ui/figure_strip.tsx";
import type { Tracing } from "../releases/load_tracing.ts";
import { before, comparable, minutesOf } from "../store/stats/steps.ts";

export interface StatFiguresProps {
  readonly tracing: Tracing;
  readonly total: Stats;
  /** Of the time before, of the same length. */
  readonly previous: Stats;
  /** What is counted, in the plural. */
  readonly unit: string;
}

/** How often, how fast, how well, each against the time before. */
export function StatFigures({ tracing, total, previous, unit }: StatFiguresProps) {
  const { interval, now, apdexMs } = tracing;
  const earlier = comparable(previous);
  const compare = (of: (stats: Stats) => number | null) => ({
    now: of(total),
    before: of(earlier),
  });
  const quantile = (share: number) => compare(({ sketch }) => sketch.quantile(share));
  const satisfied = compare(({ sketch }) => apdex(sketch, apdexMs));
  const rates = {
    now: total.weight / minutesOf(interval, now),
    before: earlier.weight / minutesOf(before(interval), now),
  };
  return (
    <FigureStrip
      figures={[
        {
          label: "Throughput",
          value: formatRate(rates.now),
          title: `${formatExact(Math.round(total.weight))} ${unit}`,
          change: { ...rates, more: "neither" },
        },
        {
          label: "Median duration",
          value: formatDuration(quantile(0.5).now),
          title: `Average ${formatDuration(averageOf(total))}`,
          change: quantile(0.5),
        },
        {
          label: "p95 duration",
          value: formatDuration(quantile(0.95).now),
          title: `p75 ${formatDuration(quantile(0.75).now)}, p99 ${
            formatDuration(quantile(0.99).now)
          }`,
          change: quantile(0.95),
        },
        {
          label: "Failure rate",
          value: formatPercent(failureRate(total)),
          title: `${formatExact(total.failures)} of ${formatExact(total.count)} failed`,
          change: compare(failureRate),
        },
        {
          label: `Apdex (${formatDuration(apdexMs)})`,
          value: satisfied.now?.toFixed(2) ?? NONE,
          title: "1 is best: all of them satisfy",
          change: { ...satisfied, more: "better" },
        },
        {
          label: "Users",
          value: formatExact(total.users),
          title: "Different users; beyond 256 an estimate",
          change: { ...compare(({ users }) => users), more: "neither" },
        },
      ]}
    />
  );
}
