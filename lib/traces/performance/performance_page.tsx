import type { ComponentChildren } from "preact";
import type { Tracing } from "../../releases/request_scope.ts";
import { extrapolated, failureRate, NO_STATS, type Stats } from "../../store/stats/stats.ts";
import { comparable } from "../../store/stats/steps.ts";
import { ShareBar } from "../../ui/charts/mod.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import type { IconName } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { FailureShare } from "../../ui/figures.tsx";
import { formatDuration, formatExact } from "../../ui/format.ts";
import { sectionPath, transactionHref } from "../../ui/links.ts";
import { type Scope, scopedHref } from "../../ui/scope.ts";
import { TracingPage } from "../../ui/scoped_page.tsx";
import type { Shell } from "../../ui/shell.ts";
import { CATEGORY_WORDS, NoTraces } from "../list_parts.tsx";
import { StatCharts, StatFigures } from "../stat_charts.tsx";
import { formatVital, type Rating, ratingOf, VITALS } from "../vitals/vital_scores.ts";
import type { Performance, Ranked } from "./load_performance.ts";

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

interface RankingProps {
  readonly tracing: Tracing;
  readonly title: string;
  readonly description: string;
  readonly ranked: readonly Ranked[];
  readonly columns: readonly {
    readonly label: string;
    readonly cell: (each: Ranked) => ComponentChildren;
  }[];
  /** In place of the list. */
  readonly none: string;
  /** To all of them. */
  readonly moreHref?: string;
}

/** The first few transactions by one measure. */
function Ranking(
  { tracing, title, description, ranked, columns, none, moreHref }: RankingProps,
) {
  const { project, scope } = tracing;
  return (
    <Panel
      title={title}
      description={description}
      flush
      actions={moreHref && <a class="link text-sm" href={moreHref}>All</a>}
    >
      {ranked.length === 0 ? <p class="px-4 py-6 text-sm text-muted">{none}</p> : (
        <Table
          caption={title}
          columns={[
            { label: "Transaction" },
            ...columns.map(({ label }) => ({ label, align: "right" as const })),
          ]}
        >
          {ranked.map((each) => (
            <Row key={each.name}>
              <Cell class="w-full max-w-0 min-w-40">
                <a
                  class="row-link block truncate"
                  title={each.name}
                  href={transactionHref(project.id, scope, each.name)}
                >
                  <bdi>{each.name}</bdi>
                </a>
              </Cell>
              {columns.map(({ label, cell }) => <Cell key={label} align="right">{cell(each)}
              </Cell>)}
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  );
}

const LOOKS: Readonly<Record<Rating, { readonly tone: Tone; readonly icon: IconName }>> = {
  good: { tone: "ok", icon: "ok" },
  "needs improvement": { tone: "warning", icon: "warning" },
  poor: { tone: "danger", icon: "error" },
};

interface VitalStripProps {
  readonly project: { readonly id: string };
  readonly scope: Scope;
  /** By name of the vital. */
  readonly vitals: ReadonlyMap<string, Stats>;
}

/** The web vitals of all pages: what three of four visits do not exceed, and how good that is. */
function VitalStrip({ project, scope, vitals }: VitalStripProps) {
  return (
    <Panel
      title="Web Vitals"
      description="Three of four visits are at least this good (p75)."
      actions={
        <a class="link text-sm" href={scopedHref(sectionPath(project.id, "web-vitals"), scope)}>
          By page
        </a>
      }
    >
      <dl class="grid grid-cols-2 gap-4 sm:grid-cols-5">
        {VITALS.map((vital) => {
          const { sketch, count } = vitals.get(vital.name) ?? NO_STATS;
          const value = sketch.quantile(0.75);
          const rating = ratingOf(vital, value);
          return (
            <div key={vital.name} title={`${vital.words}; ${formatExact(count)} measured`}>
              <dt class="text-meta text-muted">{vital.label}</dt>
              <dd class="text-lg font-semibold tabular-nums">{formatVital(vital, value)}</dd>
              <dd>{rating && <Badge {...LOOKS[rating]}>{rating}</Badge>}</dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}
