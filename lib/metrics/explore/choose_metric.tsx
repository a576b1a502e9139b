import { EmptyState } from "../../ui/components/empty_state.tsx";
import { metricHref } from "../paths.ts";
import { NoMetrics } from "../no_metrics.tsx";
import type { ExploreView } from "./explore_page.tsx";

/** In place of an answer while nothing is asked: metrics to begin with. */
export function ChooseMetric({ tracing: { project, scope }, suggestions, dsn }: ExploreView) {
  if (suggestions.length === 0) {
    return (
      <div class="mt-3 rounded-lg border border-line bg-surface">
        <NoMetrics projectId={project.id} isNarrowed={false} dsn={dsn} />
      </div>
    );
  }
  return (
    <div class="mt-3 rounded-lg border border-line bg-surface">
      <EmptyState icon="metrics" title="Which metric?">
        {"Type its name above, or begin with one of these:"}
        <ul class="mt-3 flex flex-wrap justify-center gap-2">
          {suggestions.map((metric) => (
            <li key={`${metric.name} ${metric.kind} ${metric.unit}`} class="min-w-0">
              <a
                href={metricHref(project.id, metric, scope)}
                class="inline-flex max-w-full rounded-md border border-line-strong px-2 py-1 font-mono text-sm hover:bg-hover"
              >
                <span class="truncate">{metric.name}</span>
              </a>
            </li>
          ))}
        </ul>
      </EmptyState>
    </div>
  );
}
