import { t } from "../../core/language/translate.ts";
import type { PageScope, PageView } from "../../releases/request_scope.ts";
import { extrapolated, failureRate } from "../../store/stats/stats.ts";
import { comparable } from "../../store/stats/steps.ts";
import { ShareBar } from "../../ui/charts/mod.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { type RowColumn, TablePanel } from "../../ui/components/table.tsx";
import { FailureShare } from "../../ui/components/values.tsx";
import { formatDuration, formatExact } from "../../ui/format.ts";
import { sectionPath, transactionHref } from "../../ui/links.ts";
import { scopedHref } from "../../ui/scope.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import { CATEGORY_WORDS, NameLink, NoTraces } from "../list_parts.tsx";
import { StatCharts, StatFigures } from "../stat_charts.tsx";
import { VitalStrip } from "../vitals/vital_cards.tsx";
import type { Performance, Ranked } from "./load_performance.ts";

export type PerformanceView = Performance & PageView;

/** How a project does: figures against the time before, charts, and where to look first. */
export function PerformancePage(view: PerformanceView) {
  const { shell, pageScope, total, categories, vitals } = view;
  const { project, scope } = pageScope;
  const path = sectionPath(project.id, "performance");
  if (total.count === 0 && vitals.size === 0) {
    return (
      <ProjectPage shell={shell} pageScope={pageScope} section="performance">
        <div class="rounded-lg border border-line bg-surface">
          <NoTraces pageScope={pageScope} what="transactions" path={path} />
        </div>
      </ProjectPage>
    );
  }
  return (
    <ProjectPage shell={shell} pageScope={pageScope} section="performance" sampled={total}>
      <div class="space-y-4">
        <StatFigures {...view} />
        {vitals.size > 0 && <VitalStrip project={project} scope={scope} vitals={vitals} />}
        <StatCharts {...view} path={path} />
        {categories.length > 0 && (
          <Panel>
            <ShareBar
              title={t("Time by kind of span")}
              shares={categories.map(({ category, ms }) => ({
                label: t(CATEGORY_WORDS[category]),
                value: ms,
              }))}
            />
          </Panel>
        )}
        <Rankings {...view} />
      </div>
    </ProjectPage>
  );
}

function Rankings({ pageScope, previous, slowest, mostFailing, regressions }: PerformanceView) {
  const { project, scope } = pageScope;
  const all = (sort: string) =>
    scopedHref(sectionPath(project.id, "transactions"), scope, { sort });
  const p95 = ({ now }: Ranked) => formatDuration(now.sketch.quantile(0.95));
  const count = {
    label: t("Count"),
    cell: ({ now }: Ranked) => formatExact(Math.round(now.weight)),
  };
  return (
    <div class="grid gap-4 xl:grid-cols-3">
      <Ranking
        pageScope={pageScope}
        title={t("Slowest")}
        description={t("By p95, of those of which 20 or more are stored.")}
        ranked={slowest}
        columns={[{ label: "p95", cell: p95 }, count]}
        none={t("None is stored often enough to tell.")}
        moreHref={all("-p95")}
      />
      <Ranking
        pageScope={pageScope}
        title={t("Most failing")}
        description={t("By how many failed, and how large a share that is.")}
        ranked={mostFailing}
        columns={[
          {
            label: t("Failed"),
            cell: ({ now }) => formatExact(Math.round(extrapolated(now.failures, now))),
          },
          { label: t("Share@@part"), cell: ({ now }) => <FailureShare rate={failureRate(now)} /> },
        ]}
        none={t("Nothing failed.")}
        moreHref={all("-failures")}
      />
      <Ranking
        pageScope={pageScope}
        title={t("Became slower")}
        description={t("p95 against the time before of the same length.")}
        ranked={regressions}
        columns={[
          {
            label: t("Before"),
            cell: (each) => formatDuration(each.before.sketch.quantile(0.95)),
          },
          { label: t("Now"), cell: p95 },
        ]}
        none={comparable(previous).count === 0
          ? t("There is too little in the time before to compare with.")
          : t("Nothing became slower by a tenth or more.")}
      />
    </div>
  );
}

interface RankingProps {
  readonly pageScope: PageScope;
  readonly title: string;
  readonly description: string;
  readonly ranked: readonly Ranked[];
  readonly columns: readonly RowColumn<Ranked>[];
  /** In place of the list. */
  readonly none: string;
  /** To all of them. */
  readonly moreHref?: string;
}

/** The first few transactions by one measure. */
function Ranking(
  { pageScope, title, description, ranked, columns, none, moreHref }: RankingProps,
) {
  const { project, scope } = pageScope;
  return (
    <TablePanel
      title={title}
      description={description}
      actions={moreHref && <a class="link text-sm" href={moreHref}>{t("All")}</a>}
      none={none}
      rows={ranked}
      rowKey={({ name }) => name}
      columns={[
        {
          label: t("Transaction"),
          cellClass: "w-full max-w-0 min-w-40",
          cell: ({ name }) => (
            <NameLink name={name} href={transactionHref(project.id, scope, name)} />
          ),
        },
        ...columns.map((column) => ({ ...column, align: "right" as const })),
      ]}
    />
  );
}
