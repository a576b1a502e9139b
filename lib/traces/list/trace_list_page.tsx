import { Alert } from "../../ui/components/alert.tsx";
import { Pagination } from "../../ui/components/pagination.tsx";
import { TimeChart } from "../../ui/charts/mod.ts";
import { formatExactOf } from "../../ui/format.ts";
import { DEFAULT_RANGE, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { extrapolated, sampledOf } from "../../store/stats/extrapolate.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { NoTraces } from "../no_traces.tsx";
import type { Steps } from "../../store/stats/steps.ts";
import { TracingPage } from "../../ui/tracing_page.tsx";
import type { TraceList } from "./load_traces.ts";
import { SearchBox } from "./search_box.tsx";
import { TraceTable } from "./trace_table.tsx";

export interface TraceListView extends TraceList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

const CHART_HEIGHT = 120;

/** A project's traces, those with the latest entry first, as far as the search asks for them. */
export function TraceListPage(view: TraceListView) {
  const { shell, tracing, params: { query }, steps } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "traces");
  const isEverEntered = steps.stats.some(({ count }) => count > 0);
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="traces"
      keep={{ query }}
      sampled={sampledOf(steps.stats)}
    >
      <SearchBox path={path} scope={scope} query={query} problems={view.problems} />
      {isEverEntered && (
        <div class="mt-3 rounded-lg border border-line bg-surface p-4">
          <EntryChart tracing={tracing} steps={steps} path={path} query={query} />
        </div>
      )}
      <div class="mt-3 rounded-lg border border-line bg-surface">
        <Traces {...view} path={path} />
      </div>
    </TracingPage>
  );
}

function Traces({ tracing, params, traces, path }: TraceListView & { readonly path: string }) {
  const { scope } = tracing;
  const { query } = params;
  const hrefOf = (cursor: string | null) => cursor && scopedHref(path, scope, { query, cursor });
  if (traces === null) {
    return (
      <div class="p-4">
        <Alert kind="warning" title="The search took too long">
          Choose a shorter time, or ask for something that more traces have.
        </Alert>
      </div>
    );
  }
  if (traces.rows.length === 0) {
    return <NoTraces tracing={tracing} what="traces" path={path} isSearched={query !== ""} />;
  }
  return (
    <>
      <TraceTable tracing={tracing} traces={traces.rows} />
      <div class="border-t border-line">
        <Pagination
          label="Pages of traces"
          summary={`Showing ${formatExactOf(traces.rows.length, "traces")}, the latest first`}
          previousHref={hrefOf(traces.previousCursor)}
          nextHref={hrefOf(traces.nextCursor)}
        />
      </div>
    </>
  );
}

interface EntryChartProps {
  readonly tracing: Tracing;
  readonly steps: Steps;
  readonly path: string;
  readonly query: string;
}

function EntryChart({ tracing, steps, path, query }: EntryChartProps) {
  const { scope, markers } = tracing;
  const perMinute = (of: (stats: Steps["stats"][number]) => number) =>
    steps.stats.map((stats, place) => of(stats) / (steps.minutes[place] ?? 1));
  const failed = (stats: Steps["stats"][number]) => extrapolated(stats.failures, stats);
  return (
    <TimeChart
      id="entries"
      title="Entries per minute"
      unit="rate"
      height={CHART_HEIGHT}
      times={steps.times}
      bucketMs={steps.stepMs}
      markers={markers}
      syncKey="traces"
      zoomHref={scopedHref(path, { ...scope, range: DEFAULT_RANGE }, { query })}
      note={query === ""
        ? "A trace enters each service that it passes through."
        : "All that were received, not only those that the search asks for."}
      series={[
        {
          label: "ok",
          kind: "stacked",
          values: perMinute((stats) => stats.weight - failed(stats)),
        },
        { label: "failed", kind: "stacked", color: "danger", values: perMinute(failed) },
      ]}
    />
  );
}
