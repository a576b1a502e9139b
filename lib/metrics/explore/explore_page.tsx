import { Alert } from "../../ui/components/alert.tsx";
import { LinkButton } from "../../ui/components/button.tsx";
import type { Shell } from "../../ui/shell.ts";
import { type ExtraParams, scopeParams } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import { TracingPage } from "../../ui/tracing_page.tsx";
import { explorationParams, explorePath } from "../paths.ts";
import { ApiCall } from "./api_call.tsx";
import { ChooseMetric } from "./choose_metric.tsx";
import { ExploreForm } from "./explore_form.tsx";
import { HeatResult } from "../heat_result.tsx";
import type { Explored } from "./load_explore.ts";
import { Results } from "./results.tsx";
import { ViewLinks } from "./view_links.tsx";

export interface ExploreView extends Explored {
  readonly shell: Shell;
  /** Of the service. */
  readonly baseUrl: string;
  /** What the snippets of an empty project send to. */
  readonly dsn: string;
}

/** Questions to metrics and their answers as charts, tables, figures or a heat map. */
export function ExplorePage(view: ExploreView) {
  const { shell, tracing, form, result, heat, error, notes } = view;
  const path = explorePath(tracing.project.id);
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="metrics"
      path={path}
      title="Explore metrics"
      crumbs={[{ label: "Explore" }]}
      keep={keptParams(view)}
      actions={form.queries.length > 0 && <Actions {...view} />}
    >
      <ExploreForm tracing={tracing} form={form} />
      {form.queries.length === 0
        ? <NothingAsked {...view} />
        : (
          <section aria-label="Answer" class="mt-3">
            <div class="flex flex-wrap items-start justify-between gap-2">
              <ViewLinks tracing={tracing} form={form} />
              <ApiCall tracing={tracing} form={form} baseUrl={view.baseUrl} />
            </div>
            {error !== null && (
              <Alert kind="warning" title="This cannot be answered" class="mt-3">{error}</Alert>
            )}
            {notes.map((note) => (
              <p key={note} class="mt-2 wrap-anywhere text-sm text-muted">{note}</p>
            ))}
            {result !== null && <Results {...view} result={result} />}
            {form.view === "heatmap" && error === null && <HeatResult heat={heat} />}
          </section>
        )}
    </TracingPage>
  );
}

/** Without a query that can be read: what is wrong stands beside its field, or nothing was chosen yet. */
function NothingAsked(view: ExploreView) {
  const { problems } = view.form;
  if (problems.length === 0) return <ChooseMetric {...view} />;
  return (
    <Alert kind="warning" title="This cannot be answered" class="mt-3">
      {problems.map(({ message }) => message).join(" ")}
    </Alert>
  );
}

/** The exploration as parameters that stand beside the scope. */
function keptParams({ form }: ExploreView): ExtraParams {
  const kept = Map.groupBy(explorationParams(form), ([name]) => name);
  return Object.fromEntries(
    [...kept].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
  );
}

/** What can be made of an exploration. */
function Actions({ tracing, form }: ExploreView) {
  const { project, scope } = tracing;
  const params = new URLSearchParams([...scopeParams(scope), ...explorationParams(form)]);
  return (
    <>
      <LinkButton icon="dashboards" href={`${sectionPath(project.id, "dashboards")}/add?${params}`}>
        Add to dashboard
      </LinkButton>
      <LinkButton icon="alerts" href={`${sectionPath(project.id, "alerts")}/new?${params}`}>
        Make alert
      </LinkButton>
    </>
  );
}
