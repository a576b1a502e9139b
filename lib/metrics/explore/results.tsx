import type { QueryResult } from "../query_types.ts";
import { ChartBox } from "../../ui/chart_box.tsx";
import { DEFAULT_RANGE } from "../../ui/scope.ts";
import type { LegendToggles } from "../metric_legend.tsx";
import { MetricChart } from "../metric_chart.tsx";
import { exploreHref } from "../paths.ts";
import { chartTitle, queryNames } from "../query_words.ts";
import { ExemplarTable } from "./exemplar_table.tsx";
import { HiddenQueries } from "./hidden_queries.tsx";
import type { Explored } from "./load_explore.ts";
import { ResultTable } from "./result_table.tsx";
import { ResultValues } from "./result_values.tsx";

export interface ResultsProps extends Explored {
  readonly result: QueryResult;
}

const HEIGHT = 320;

/** The answer in the view that was chosen, and what was cut off from it. */
export function Results(props: ResultsProps) {
  const { tracing, form, shown, result } = props;
  const names = queryNames(shown.queries, shown.formulas);
  const toggles: LegendToggles = {
    hidden: form.hidden,
    hrefOf: (id) => {
      const hidden = form.hidden.includes(id)
        ? form.hidden.filter((one) => one !== id)
        : [...form.hidden, id];
      return exploreHref(tracing.project.id, { ...form, hidden }, tracing.scope);
    },
  };
  return (
    <>
      <HiddenQueries names={names} toggles={toggles} />
      {result.facts.map(({ id, groupCount }) => {
        const drawn = result.series.filter((one) => one.queryId === id && !one.isPrevious).length;
        return groupCount > drawn && (
          <p key={id} class="mt-2 text-sm text-muted">
            {`${id}: the ${drawn} largest of ${groupCount} groups are shown.`}
          </p>
        );
      })}
      <div class="mt-3">
        <View {...props} toggles={toggles} />
      </div>
    </>
  );
}

/** Heat maps have an answer of their own. */
function View(props: ResultsProps & { readonly toggles: LegendToggles }) {
  const { tracing, form, shown, result, markers, exemplars, toggles } = props;
  const { project, scope } = tracing;
  const names = queryNames(shown.queries, shown.formulas);
  const shownIds = result.facts.map(({ id }) => id).filter((id) => !form.hidden.includes(id));
  const zoomHref = exploreHref(project.id, form, { ...scope, range: DEFAULT_RANGE });
  switch (form.view) {
    case "table":
      return <ResultTable result={result} queryIds={shownIds} names={names} />;
    case "value":
      return <ResultValues result={result} queryIds={shownIds} names={names} />;
    default:
      return (
        <>
          <ChartBox>
            <MetricChart
              id="answer"
              title={chartTitle(shownIds, names)}
              result={result}
              queryIds={shownIds}
              names={names}
              view={form.view === "heatmap" ? "line" : form.view}
              markers={markers}
              exemplars={exemplars.dots}
              zoomHref={zoomHref}
              height={HEIGHT}
              syncKey="page"
              {...result.facts.length > 1 && shown === form && { toggles }}
            />
          </ChartBox>
          <ExemplarTable exemplars={exemplars} />
        </>
      );
  }
}
