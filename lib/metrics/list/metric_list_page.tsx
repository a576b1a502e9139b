import MetricTrends from "@/islands/MetricTrends.tsx";
import { LinkButton } from "../../ui/components/button.tsx";
import { Pagination } from "../../ui/components/pagination.tsx";
import { formatExact } from "../../ui/format.ts";
import { isNarrowed, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { ChoiceLinks } from "../../ui/choice_links.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { SearchForm } from "../../ui/search_form.tsx";
import { TracingPage } from "../../ui/tracing_page.tsx";
import { explorePath } from "../paths.ts";
import { KINDS, type MetricList } from "./load_list.ts";
import { MetricTable } from "./metric_table.tsx";
import { NoMetrics } from "../no_metrics.tsx";

export interface MetricListView extends MetricList {
  readonly shell: Shell;
  readonly tracing: Tracing;
  /** What the empty list's snippets send to. */
  readonly dsn: string;
}

/** A project's metrics by name. */
export function MetricListPage(view: MetricListView) {
  const { shell, tracing, params: { query, kind }, metrics, trends } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "metrics");
  const isFiltered = query !== "" || kind !== null;
  const isNarrow = isFiltered || isNarrowed(scope) || scope.services.length > 0;
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="metrics"
      keep={{ query, kind }}
      actions={
        <LinkButton icon="search" href={scopedHref(explorePath(project.id), scope)}>
          Explore
        </LinkButton>
      }
    >
      <SearchForm
        path={path}
        scope={scope}
        query={query}
        keep={{ kind }}
        label="Search metrics"
        placeholder="Part of a name; * stands for anything"
      />
      <ChoiceLinks
        label="Kinds"
        choices={["", ...KINDS]}
        chosen={kind ?? ""}
        hrefOf={(choice) => scopedHref(path, scope, { query, kind: choice })}
      />
      <div class="mt-3 rounded-lg border border-line bg-surface">
        {metrics.rows.length === 0
          ? <NoMetrics projectId={project.id} isNarrowed={isNarrow} dsn={view.dsn} />
          : (
            <>
              <MetricTable tracing={tracing} metrics={metrics.rows} trends={trends} />
              {metrics.rows.some(({ metricId }) => !trends.has(metricId)) && <LateTrends />}
              <Pages view={view} path={path} />
            </>
          )}
      </div>
    </TracingPage>
  );
}

function LateTrends() {
  return (
    <>
      <MetricTrends />
      <noscript>
        <p class="border-t border-line px-4 py-2 text-meta text-muted">
          Where “…” stands, the last hours are still being read: reload the page in a moment.
        </p>
      </noscript>
    </>
  );
}

function Pages({ view, path }: { readonly view: MetricListView; readonly path: string }) {
  const { tracing: { scope }, params: { query, kind }, metrics } = view;
  const hrefOf = (cursor: string | null) =>
    cursor && scopedHref(path, scope, { query, kind, cursor });
  const { rows, previousCursor, nextCursor } = metrics;
  const count = `${formatExact(rows.length)} ${rows.length === 1 ? "metric" : "metrics"}`;
  return (
    <div class="border-t border-line">
      <Pagination
        label="Pages of metrics"
        summary={`Showing ${count} by name`}
        previousHref={hrefOf(previousCursor)}
        nextHref={hrefOf(nextCursor)}
      />
    </div>
  );
}
