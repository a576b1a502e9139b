import { t } from "../core/language/translate.ts";
import type { PageScope } from "../releases/request_scope.ts";
import { apdex, averageOf, failureRate, type Stats, totalTimeOf } from "../store/stats/stats.ts";
import {
  before,
  comparable,
  minutesOf,
  quantilesOf,
  ratesOf,
  type Steps,
} from "../store/stats/steps.ts";
import { TimeChart } from "../ui/charts/mod.ts";
import { FigureStrip } from "../ui/components/values.tsx";
import {
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
  NONE,
  withDecimalMark,
} from "../ui/format.ts";
import { alongPage, ChartBox } from "../ui/scoped_page.tsx";

interface StatChartsProps {
  readonly pageScope: PageScope;
  /** Of the whole time. */
  readonly total: Stats;
  readonly steps: Steps;
  /** Of the page. */
  readonly path: string;
  /** Other parameters of the page, which choosing a time keeps. */
  readonly keep?: Readonly<Record<string, string | null | undefined>>;
}

/** How often, how fast, how well: four charts along the time of the page, with one crosshair. */
export function StatCharts({ pageScope, total, steps, path, keep = {} }: StatChartsProps) {
  const chart = { pageScope, total, steps, common: alongPage(pageScope, steps, path, keep) };
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      <RateChart {...chart} title={t("Transactions per minute")} label={t("throughput")} />
      <DurationChart {...chart} />
      <FailureChart {...chart} title={t("Failure rate")} label={t("failed")} />
      <ApdexChart {...chart} />
    </div>
  );
}

interface StatChartProps {
  readonly pageScope: PageScope;
  /** As of `alongPage()`. */
  readonly common: ReturnType<typeof alongPage>;
  /** Of the whole time. */
  readonly total: Stats;
  readonly steps: Steps;
}

interface Named {
  readonly title: string;
  /** Of the series. */
  readonly label: string;
}

/** A chart of the rate along the time of a page. */
export function RateChart(
  { pageScope, common, total, steps, title, label }: StatChartProps & Named,
) {
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
          whole: total.weight / minutesOf(pageScope.interval, pageScope.now),
        }]}
      />
    </ChartBox>
  );
}

/** A chart of the durations along the time of a page: p50, p75, p95 and p99. */
export function DurationChart({ common, total, steps }: StatChartProps) {
  return (
    <ChartBox>
      <TimeChart
        {...common}
        id="durations"
        title={t("Duration")}
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

/** A chart of the share that failed, along the time of a page. */
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

/** A chart of the Apdex along the time of a page. */
export function ApdexChart({ pageScope: { apdexMs }, common, total, steps }: StatChartProps) {
  return (
    <ChartBox>
      <TimeChart
        {...common}
        id="apdex"
        title="Apdex"
        unit="score"
        note={t("Within {duration} counts whole, within four times of it half.", {
          duration: formatDuration(apdexMs),
        })}
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

interface StatFiguresProps {
  readonly pageScope: PageScope;
  readonly total: Stats;
  /** Of the time before, of the same length. */
  readonly previous: Stats;
}

/** How often, how fast, how well, each against the time before. */
export function StatFigures({ pageScope, total, previous }: StatFiguresProps) {
  const { rate, median, p95, failures, apdex, users } = figuresOf(pageScope, total, previous);
  const quantile = (share: number) => formatDuration(total.sketch.quantile(share));
  return (
    <FigureStrip
      figures={[
        {
          ...rate,
          label: t("Throughput"),
          title: t("{n} transaction|{n} transactions", { n: Math.round(total.weight) }),
        },
        { ...median, label: t("Median duration") },
        {
          ...p95,
          label: t("p95 duration"),
          title: `p75 ${quantile(0.75)}, p99 ${quantile(0.99)}`,
        },
        { ...failures, label: t("Failure rate") },
        { ...apdex, title: t("1 is best: all of them satisfy") },
        users,
      ]}
    />
  );
}

/**
 * The figures that pages tell of counts.
 *
 * @param previous counts of the time before, of the same length
 */
export function figuresOf(
  { interval, now, apdexMs }: PageScope,
  total: Stats,
  previous: Stats,
) {
  const earlier = comparable(previous);
  const compare = (of: (stats: Stats) => number | null) => ({
    now: of(total),
    before: of(earlier),
  });
  const rates = {
    now: total.weight / minutesOf(interval, now),
    before: earlier.weight / minutesOf(before(interval), now),
  };
  const median = compare(({ sketch }) => sketch.quantile(0.5));
  const p95 = compare(({ sketch }) => sketch.quantile(0.95));
  const average = compare(averageOf);
  const satisfied = compare(({ sketch }) => apdex(sketch, apdexMs));
  return {
    rate: { value: formatRate(rates.now), change: { ...rates, more: "neither" } },
    totalTime: {
      label: t("Total time"),
      value: formatDuration(totalTimeOf(total)),
      change: { ...compare(totalTimeOf), more: "neither" },
    },
    average: { label: t("Average"), value: formatDuration(average.now), change: average },
    median: {
      label: t("Median"),
      value: formatDuration(median.now),
      title: t("Average {duration}", { duration: formatDuration(average.now) }),
      change: median,
    },
    p95: { label: "p95", value: formatDuration(p95.now), change: p95 },
    failures: {
      value: formatPercent(failureRate(total)),
      title: t("{failed} of {total} failed", { failed: total.failures, total: total.count }),
      change: compare(failureRate),
    },
    apdex: {
      label: `Apdex (${formatDuration(apdexMs)})`,
      value: satisfied.now === null ? NONE : withDecimalMark(satisfied.now.toFixed(2)),
      change: { ...satisfied, more: "better" },
    },
    users: {
      label: t("Users"),
      value: formatExact(total.users),
      title: t("Different users; beyond 256 an estimate"),
      change: { ...compare(({ users }) => users), more: "neither" },
    },
  } as const;
}
