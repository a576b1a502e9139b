import { Histogram } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import type { TransactionCode } from "../../profiles/load_transaction_code.ts";
import { TransactionCodePanel } from "../../profiles/transaction_code_panel.tsx";
import type { Waited } from "../../profiles/load_selection.ts";
import { EVERYTHING, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { NoTraces } from "../no_traces.tsx";
import { transactionHref } from "../../ui/tracing_paths.ts";
import { StatCharts } from "../stat_charts.tsx";
import { StatFigures } from "../stat_figures.tsx";
import { TracingPage } from "../../ui/tracing_page.tsx";
import { BreakdownPanel } from "./breakdown_panel.tsx";
import { FacetPanel } from "./facet_panel.tsx";
import { IssuePanel } from "./issue_panel.tsx";
import type { Summary, SummaryParams } from "./load_summary.ts";
import { ReleasePanel } from "./release_panel.tsx";
import { SamplePanel } from "./sample_panel.tsx";

export interface SummaryView extends Summary {
  readonly shell: Shell;
  readonly tracing: Tracing;
  /** What the profiles of the transactions tell; null when there are none. */
  readonly code: Waited<TransactionCode> | null;
  /** Address of the page as it was asked for. */
  readonly url: URL;
}

/** All that is known of the transactions of one name. */
export function SummaryPage(view: SummaryView) {
  const { shell, tracing, params, total, ops, protocols } = view;
  const { project, scope } = tracing;
  const path = `${sectionPath(project.id, "transactions")}/summary`;
  const keep = keepOf(params);
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="transactions"
      path={path}
      keep={keep}
      crumbs={[{ label: params.name }]}
      sampled={total}
      title={<bdi class="wrap-anywhere">{params.name}</bdi>}
      description={
        <span class="flex flex-wrap gap-1.5">
          {ops.map((op) => <Badge key={op}>{op}</Badge>)}
          {protocols.map((protocol) => (
            <Badge key={protocol}>{protocol === "otlp" ? "OpenTelemetry" : "Sentry SDK"}</Badge>
          ))}
        </span>
      }
    >
      {total.count === 0
        ? (
          <div class="rounded-lg border border-line bg-surface">
            <NoTraces
              tracing={tracing}
              what="transactions"
              path={transactionHref(project.id, EVERYTHING, params.name)}
              others={{
                href: scopedHref(sectionPath(project.id, "transactions"), scope),
                label: "All transactions",
              }}
            />
          </div>
        )
        : (
          <div class="space-y-4">
            <StatFigures
              tracing={tracing}
              total={total}
              previous={view.previous}
              unit="transactions"
            />
            <StatCharts
              tracing={tracing}
              total={total}
              steps={view.steps}
              path={path}
              keep={keep}
              what="Transactions"
            />
            <Distribution {...view} path={path} />
            <div class="grid gap-4 xl:grid-cols-[3fr_2fr]">
              <BreakdownPanel projectId={project.id} scope={scope} breakdown={view.breakdown} />
              <FacetPanel
                facets={view.facets}
                slowFrom={view.slowFrom}
                isChosen={params.range !== null}
              />
            </div>
            {view.code !== null && (
              <TransactionCodePanel
                project={project}
                scope={scope}
                name={params.name}
                code={view.code}
                page={view.url}
              />
            )}
            <SamplePanel
              tracing={tracing}
              path={path}
              params={params}
              keep={keep}
              samples={view.samples}
            />
            <div class="grid gap-4 xl:grid-cols-2">
              <IssuePanel projectId={project.id} scope={scope} issues={view.issues} />
              <ReleasePanel
                path={path}
                scope={scope}
                params={params}
                keep={keep}
                byRelease={view.byRelease}
                releases={tracing.releases}
              />
            </div>
          </div>
        )}
    </TracingPage>
  );
}

/** Parameters of the page beside its scope. */
function keepOf({ name, order, range, baseline, candidate }: SummaryParams) {
  return {
    name,
    samples: order === "slowest" ? null : order,
    min: range === null ? null : String(range.min),
    max: range === null ? null : String(range.max),
    baseline,
    candidate,
  };
}

function Distribution(
  { tracing: { scope }, params, total, histogram, path }: SummaryView & { readonly path: string },
) {
  return (
    <Panel>
      <Histogram
        id="distribution"
        title="How long they took"
        buckets={histogram}
        {...params.range === null ? {} : { selection: params.range }}
        brushHref={scopedHref(path, scope, { ...keepOf(params), min: null, max: null })}
        unit="transactions"
        whole={Math.round(total.weight)}
      />
    </Panel>
  );
}
