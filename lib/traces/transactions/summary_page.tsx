import { type TransactionCode, TransactionCodePanel, type Waited } from "../../profiles/mod.ts";
import type { Tracing } from "../../releases/request_scope.ts";
import type { Grouped } from "../../store/stats/read_stats.ts";
import { averageOf, failureRate, type Stats } from "../../store/stats/stats.ts";
import { Histogram } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { Select } from "../../ui/components/fields.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { Count, RelativeTime } from "../../ui/components/values.tsx";
import { Change } from "../../ui/figures.tsx";
import { formatDuration, formatExact, formatPercent } from "../../ui/format.ts";
import { issuePath, sectionPath, transactionHref } from "../../ui/links.ts";
import { EVERYTHING, type Scope, scopedHref, scopeParams } from "../../ui/scope.ts";
import { TracingPage } from "../../ui/scoped_page.tsx";
import type { Shell } from "../../ui/shell.ts";
import { NoTraces } from "../list_parts.tsx";
import { StatCharts, StatFigures } from "../stat_charts.tsx";
import { BreakdownPanel } from "./breakdown_panel.tsx";
import type { ComparedFacet, Summary, SummaryParams } from "./load_summary.ts";
import { SamplePanel } from "./sample_table.tsx";
import type { RelatedIssue } from "./transaction_samples.ts";

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

interface ReleasePanelProps {
  readonly path: string;
  readonly scope: Scope;
  readonly params: SummaryParams;
  /** All parameters of the page, which comparing others keeps. */
  readonly keep: Readonly<Record<string, string | null>>;
  readonly byRelease: readonly Grouped<"release">[];
  /** Of the project, newest first. */
  readonly releases: readonly string[];
}

const FIGURES: readonly {
  readonly label: string;
  readonly value: (stats: Stats) => number | null;
  readonly format: (value: number | null) => string;
  readonly more: "worse" | "neither";
}[] = [
  {
    label: "Transactions",
    value: ({ weight }) => Math.round(weight),
    format: formatExact,
    more: "neither",
  },
  { label: "Average", value: averageOf, format: formatDuration, more: "worse" },
  { label: "p50", value: quantile(0.5), format: formatDuration, more: "worse" },
  { label: "p95", value: quantile(0.95), format: formatDuration, more: "worse" },
  { label: "p99", value: quantile(0.99), format: formatDuration, more: "worse" },
  { label: "Failure rate", value: failureRate, format: formatPercent, more: "worse" },
];

function quantile(share: number) {
  return ({ sketch }: Stats) => sketch.quantile(share);
}

/** Two releases side by side: the two newest ones, unless others are chosen. */
function ReleasePanel(props: ReleasePanelProps) {
  const { path, scope, params, keep, byRelease, releases } = props;
  const named = byRelease.filter(({ release }) => release !== "");
  const newest = releases.filter((release) => named.some((each) => each.release === release));
  const [first, second] = newest.length > 0 ? newest : named.map(({ release }) => release);
  const candidate = named.find(({ release }) => release === (params.candidate || first));
  const baseline = named.find(({ release }) => release === (params.baseline || second));
  if (named.length < 2 || candidate === undefined || baseline === undefined) return null;
  const kept = Object.entries(keep).flatMap(([name, value]): [string, string][] =>
    value === null || name === "baseline" || name === "candidate" ? [] : [[name, value]]
  );
  const options = named.map(({ release }) => ({ value: release, label: release }));
  return (
    <Panel title="Releases compared" id="releases" flush>
      <form action={`${path}#releases`} class="flex flex-wrap items-end gap-2 px-4 pb-3">
        {[...scopeParams(scope), ...kept].map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
        <Select name="baseline" label="From" options={options} value={baseline.release} size="sm" />
        <Select name="candidate" label="To" options={options} value={candidate.release} size="sm" />
        <Button size="sm">Compare</Button>
      </form>
      <Table
        caption="Releases compared"
        isWide
        columns={[
          { label: "Figure" },
          { label: baseline.release, align: "right" },
          { label: candidate.release, align: "right" },
          { label: "Change", align: "right" },
        ]}
      >
        {FIGURES.map(({ label, value, format, more }) => (
          <Row key={label}>
            <Cell>{label}</Cell>
            <Cell align="right">{format(value(baseline))}</Cell>
            <Cell align="right">{format(value(candidate))}</Cell>
            <Cell align="right">
              <Change now={value(candidate)} before={value(baseline)} more={more} />
            </Cell>
          </Row>
        ))}
      </Table>
    </Panel>
  );
}

interface FacetPanelProps {
  readonly facets: readonly ComparedFacet[];
  /** From here on a transaction is slow, in milliseconds. */
  readonly slowFrom: number | null;
  /** The page is narrowed to some durations: those count as the slow ones. */
  readonly isChosen: boolean;
}

/** What slow transactions have more often than others: where to look for the reason. */
function FacetPanel({ facets, slowFrom, isChosen }: FacetPanelProps) {
  const slow = isChosen
    ? "those of the chosen durations"
    : `those over ${formatDuration(slowFrom)}`;
  return (
    <Panel
      title="What slow ones have in common"
      description={`Among ${slow}, and among all; the newest 1,000 of each.`}
      flush
    >
      {facets.length === 0
        ? (
          <p class="px-4 py-6 text-sm text-muted">
            No tag is notably more frequent among them.
          </p>
        )
        : (
          <Table
            caption="Tags of slow transactions"
            columns={[
              { label: "Tag" },
              { label: isChosen ? "Of chosen" : "Of slow", align: "right" },
              { label: "Of all", align: "right" },
            ]}
          >
            {facets.map(({ key, value, ofSlow, ofAll }) => (
              <Row key={`${key}=${value}`}>
                <Cell class="w-full max-w-0 min-w-40">
                  <span class="block truncate" title={`${key}: ${value}`}>
                    <span class="text-muted">{key}</span> <bdi class="font-medium">{value}</bdi>
                  </span>
                </Cell>
                <Cell align="right">{formatPercent(ofSlow)}</Cell>
                <Cell align="right" class="text-muted">{formatPercent(ofAll)}</Cell>
              </Row>
            ))}
          </Table>
        )}
    </Panel>
  );
}

interface IssuePanelProps {
  readonly projectId: string;
  readonly scope: Scope;
  readonly issues: readonly RelatedIssue[];
}

/** Issues whose errors happened in the traces of these transactions, as rows. */
function IssuePanel({ projectId, scope, issues }: IssuePanelProps) {
  return (
    <Panel
      title="Issues in these transactions"
      description="Errors in the traces of the newest 500."
      flush
    >
      {issues.length === 0
        ? <p class="px-4 py-6 text-sm text-muted">No errors happened in them.</p>
        : (
          <Table
            caption="Issues in these transactions"
            columns={[
              { label: "Issue" },
              { label: "Events", align: "right" },
              { label: "Last seen", align: "right" },
            ]}
          >
            {issues.map((issue) => (
              <Row key={issue.issueId}>
                <Cell class="w-full max-w-0 min-w-40">
                  <a
                    class="row-link block truncate font-medium"
                    href={scopedHref(issuePath(projectId, issue.issueId), scope)}
                    title={issue.title}
                  >
                    <bdi>{issue.title}</bdi>
                  </a>
                  <span class="block truncate text-meta text-muted">{issue.culprit}</span>
                </Cell>
                <Cell align="right">
                  <Count value={issue.count} unit="events" />
                </Cell>
                <Cell align="right">
                  <RelativeTime date={issue.lastSeen} />
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      {issues.length > 0 && (
        <p class="border-t border-line px-4 py-2">
          <LinkButton size="sm" href={scopedHref(sectionPath(projectId, "issues"), scope)}>
            All issues
          </LinkButton>
        </p>
      )}
    </Panel>
  );
}
