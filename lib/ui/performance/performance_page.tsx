import { apdex, averageOf, failureRate, type Stats } from "../../telemetry/stats/stats.ts";
import { ShareBar } from "../charts/mod.ts";
import { Panel } from "../components/panel.tsx";
import { formatDuration, formatExact, formatPercent, formatRate } from "../format.ts";
import { scopedHref } from "../scope.ts";
import { sectionPath } from "../sections.ts";
import type { Shell } from "../shell.ts";
import { CATEGORY_WORDS } from "../tracing/category_words.ts";
import { FailureShare } from "../tracing/failure_share.tsx";
import { FigureStrip } from "../tracing/figure_strip.tsx";
import type { Tracing } from "../tracing/load_tracing.ts";
import { NoTraces } from "../tracing/no_traces.tsx";
import { StatCharts } from "../tracing/stat_charts.tsx";
import { before, comparable, minutesOf } from "../tracing/steps.ts";
import { TracingPage } from "../tracing/tracing_page.tsx";
import type { Performance, Ranked } from "./load_performance.ts";
import { Ranking } from "./ranking.tsx";
import { VitalStrip } from "./vital_strip.tsx";

export interface PerformanceView extends Performance {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** How a project does: figures against the time before, charts, and where to look first. */
export function PerformancePage(view: PerformanceView) {
  const { shell, tracing, total, steps, categories, vitals } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "performance");
  if (total.count === 0 && vitals.size === 0) {
    return (
      <TracingPage shell={shell} tracing={tracing} section="performance">
        <div class="rounded-lg border border-line bg-surface">
          <NoTraces tracing={tracing} what="transactions" path={path} />
        </div>
      </TracingPage>
    );
  }
  return (
    <TracingPage shell={shell} tracing={tracing} section="performance">
      <div class="space-y-4">
        <Figures {...view} />
        {vitals.size > 0 && <VitalStrip project={project} scope={scope} vitals={vitals} />}
        <StatCharts tracing={tracing} steps={steps} path={path} what="Transactions" />
        {categories.length > 0 && (
          <Panel>
            <ShareBar
              title="Time by kind of span"
              shares={categories.map(({ category, ms }) => ({
                label: CATEGORY_WORDS[category],
                value: ms,
              }))}
            />
          </Panel>
        )}
        <Rankings {...view} />
      </div>
    </TracingPage>
  );
}

function Figures({ tracing, total, previous: sent }: PerformanceView) {
  const { interval, now, apdexMs } = tracing;
  const previous = comparable(sent);
  const earlier = before(interval);
  const rates = {
    now: total.weight / minutesOf(interval, now),
    before: previous.weight / minutesOf(earlier, now),
  };
  const quantile = (stats: Stats, share: number) => stats.sketch.quantile(share);
  return (
    <FigureStrip
      figures={[
        {
          label: "Throughput",
          value: formatRate(rates.now),
          title: `${formatExact(Math.round(total.weight))} transactions`,
          change: { ...rates, more: "neither" },
        },
        {
          label: "Median duration",
          value: formatDuration(quantile(total, 0.5)),
          title: `Average ${formatDuration(averageOf(total))}`,
          change: { now: quantile(total, 0.5), before: quantile(previous, 0.5) },
        },
        {
          label: "p95 duration",
          value: formatDuration(quantile(total, 0.95)),
          title: `p75 ${formatDuration(quantile(total, 0.75))}, p99 ${
            formatDuration(quantile(total, 0.99))
          }`,
          change: { now: quantile(total, 0.95), before: quantile(previous, 0.95) },
        },
        {
          label: "Failure rate",
          value: formatPercent(failureRate(total)),
          title: `${formatExact(total.failures)} of ${formatExact(total.count)} failed`,
          change: { now: failureRate(total), before: failureRate(previous) },
        },
        {
          label: `Apdex (${formatDuration(apdexMs)})`,
          value: apdex(total.sketch, apdexMs)?.toFixed(2) ?? "–",
          title: "1 is best: all transactions satisfy",
          change: {
            now: apdex(total.sketch, apdexMs),
            before: apdex(previous.sketch, apdexMs),
            more: "better",
          },
        },
        {
          label: "Users",
          value: formatExact(total.users),
          title: "Different users; beyond 256 an estimate",
          change: { now: total.users, before: previous.users, more: "neither" },
        },
      ]}
    />
  );
}

function Rankings({ tracing, slowest, mostFailing, regressions }: PerformanceView) {
  const { project, scope } = tracing;
  const all = (sort: string) =>
    scopedHref(sectionPath(project.id, "transactions"), scope, { sort });
  const p95 = ({ now }: Ranked) => formatDuration(now.sketch.quantile(0.95));
  const count = { label: "Count", cell: ({ now }: Ranked) => formatExact(Math.round(now.weight)) };
  return (
    <div class="grid gap-4 xl:grid-cols-3">
      <Ranking
        tracing={tracing}
        title="Slowest"
        description="By p95, of those with 20 transactions or more."
        ranked={slowest}
        columns={[{ label: "p95", cell: p95 }, count]}
        none="Nothing happened often enough to tell."
        moreHref={all("-p95")}
      />
      <Ranking
        tracing={tracing}
        title="Most failing"
        description="By the share that failed, and how many."
        ranked={mostFailing}
        columns={[
          { label: "Failed", cell: ({ now }) => <FailureShare rate={failureRate(now)} /> },
          count,
        ]}
        none="Nothing failed."
        moreHref={all("-failures")}
      />
      <Ranking
        tracing={tracing}
        title="Became slower"
        description="p95 against the time before of the same length."
        ranked={regressions}
        columns={[
          {
            label: "Before",
            cell: (each) => formatDuration(each.before.sketch.quantile(0.95)),
          },
          { label: "Now", cell: p95 },
        ]}
        none="Nothing became slower by a tenth or more."
      />
    </div>
  );
}
