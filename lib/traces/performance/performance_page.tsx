import { failureRate } from "../../store/stats/stats.ts";
import { ShareBar } from "../../ui/charts/mod.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { formatDuration, formatExact } from "../../ui/format.ts";
import { scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { CATEGORY_WORDS } from "../category_words.ts";
import { extrapolated } from "../../store/stats/extrapolate.ts";
import { FailureShare } from "../../ui/failure_share.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { NoTraces } from "../no_traces.tsx";
import { StatCharts } from "../stat_charts.tsx";
import { StatFigures } from "../stat_figures.tsx";
import { comparable } from "../../store/stats/steps.ts";
import { TracingPage } from "../../ui/tracing_page.tsx";
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
    <TracingPage shell={shell} tracing={tracing} section="performance" sampled={total}>
      <div class="space-y-4">
        <StatFigures
          tracing={tracing}
          total={total}
          previous={view.previous}
          unit="transactions"
        />
        {vitals.size > 0 && <VitalStrip project={project} scope={scope} vitals={vitals} />}
        <StatCharts
          tracing={tracing}
          total={total}
          steps={steps}
          path={path}
          what="Transactions"
        />
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

function Rankings({ tracing, previous, slowest, mostFailing, regressions }: PerformanceView) {
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
        description="By p95, of those of which 20 or more are stored."
        ranked={slowest}
        columns={[{ label: "p95", cell: p95 }, count]}
        none="None is stored often enough to tell."
        moreHref={all("-p95")}
      />
      <Ranking
        tracing={tracing}
        title="Most failing"
        description="By how many failed, and how large a share that is."
        ranked={mostFailing}
        columns={[
          {
            label: "Failed",
            cell: ({ now }) => formatExact(Math.round(extrapolated(now.failures, now))),
          },
          { label: "Share", cell: ({ now }) => <FailureShare rate={failureRate(now)} /> },
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
        none={comparable(previous).count === 0
          ? "There is too little in the time before to compare with."
          : "Nothing became slower by a tenth or more."}
      />
    </div>
  );
}
