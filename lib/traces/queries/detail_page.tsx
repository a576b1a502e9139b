import { averageOf, failureRate } from "../../store/stats/stats.ts";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { formatCount, formatDuration, formatExact, formatPercent, formatRate } from "../../ui/format.ts";
import { EVERYTHING, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { CATEGORY_WORDS } from "../category_words.ts";
import { totalTimeOf } from "../../store/stats/extrapolate.ts";
import { FigureStrip } from "../../ui/figure_strip.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { NoTraces } from "../no_traces.tsx";
import { before, comparable, minutesOf } from "../../store/stats/steps.ts";
import { TracingPage } from "../../ui/tracing_page.tsx";
import { CallerPanel } from "./caller_panel.tsx";
import { ExamplePanel } from "./example_panel.tsx";
import { HintList } from "./hint_list.tsx";
import type { QueryDetail } from "./load_detail.ts";
import { queryHref, queryPath } from "../../ui/queries_paths.ts";
import { QueryCharts } from "./query_charts.tsx";

export interface QueryDetailView extends QueryDetail {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** All that is known of spans that do the same work. */
export function QueryDetailPage(view: QueryDetailView) {
  const { shell, tracing, params, total, steps } = view;
  const { project, scope } = tracing;
  const path = queryPath(project.id);
  const isStatement = params.category === "db";
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="queries"
      path={path}
      keep={{ ...params }}
      sampled={total}
      crumbs={[{ label: isStatement ? "Statement" : params.group }]}
      title={isStatement ? "Database statement" : <bdi>{params.group}</bdi>}
      description={isStatement
        ? "As it is without its values: all that differ in values only count as one."
        : CATEGORY_WORDS[params.category]}
    >
      <div class="space-y-4">
        {isStatement && <Statements {...view} />}
        {total.count === 0
          ? (
            <div class="rounded-lg border border-line bg-surface">
              <NoTraces
                tracing={tracing}
                what="calls"
                path={queryHref(project.id, EVERYTHING, params)}
                others={{
                  href: scopedHref(sectionPath(project.id, "queries"), scope, {
                    category: params.category,
                  }),
                  label: "All queries and calls",
                }}
              />
            </div>
          )
          : (
            <>
              <HintList tracing={tracing} category={params.category} hints={view.hints} />
              <Figures {...view} />
              <QueryCharts
                tracing={tracing}
                total={total}
                steps={steps}
                path={path}
                params={params}
              />
              <CallerPanel tracing={tracing} callers={view.callers} />
              <ExamplePanel tracing={tracing} examples={view.examples} />
            </>
          )}
      </div>
    </TracingPage>
  );
}

/** Statements shown in full. */
const MAX_STATEMENTS = 3;

function Statements({ params: { group }, statements }: QueryDetailView) {
  const shown = statements.length === 0 ? [group] : statements.slice(0, MAX_STATEMENTS);
  return (
    <div class="space-y-2">
      {shown.map((statement, place) => (
        <CodeBlock
          key={place}
          id={`statement-${place}`}
          label="Statement"
          language="sql"
          code={statement}
          maxHeight="md"
        />
      ))}
      {statements.length > 1 && (
        <p class="text-sm text-muted">
          {`These begin alike and are counted together${
            statements.length > MAX_STATEMENTS ? ", with others" : ""
          }: only the first ${formatExact(group.length)} characters tell statements apart.`}
        </p>
      )}
    </div>
  );
}

function Figures({ tracing, total, share, ...view }: QueryDetailView) {
  const previous = comparable(view.previous);
  const { interval, now } = tracing;
  const rates = {
    now: total.weight / minutesOf(interval, now),
    before: previous.weight / minutesOf(before(interval), now),
  };
  const p95 = { now: total.sketch.quantile(0.95), before: previous.sketch.quantile(0.95) };
  return (
    <FigureStrip
      figures={[
        {
          label: "Calls",
          value: formatCount(Math.round(total.weight)),
          title: formatExact(Math.round(total.weight)),
        },
        {
          label: "Throughput",
          value: formatRate(rates.now),
          change: { ...rates, more: "neither" },
        },
        {
          label: "Total time",
          value: formatDuration(totalTimeOf(total)),
          title: "Of all calls, with those that were sampled away",
          change: { now: totalTimeOf(total), before: totalTimeOf(previous), more: "neither" },
        },
        {
          label: "Share of its kind",
          value: formatPercent(share),
          title: "Of the time of all calls of this kind",
        },
        {
          label: "Average",
          value: formatDuration(averageOf(total)),
          title: `p95 ${formatDuration(p95.now)}`,
          change: { now: averageOf(total), before: averageOf(previous) },
        },
        {
          label: "Failure rate",
          value: formatPercent(failureRate(total)),
          title: `${formatExact(total.failures)} of ${formatExact(total.count)} failed`,
          change: { now: failureRate(total), before: failureRate(previous) },
        },
      ]}
    />
  );
}
