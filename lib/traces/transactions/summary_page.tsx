import { type Message, message, t } from "../../core/language/translate.ts";
import { type TransactionCode, TransactionCodePanel, type Waited } from "../../profiles/mod.ts";
import type { PageView } from "../../releases/request_scope.ts";
import { averageOf, failureRate, type Stats } from "../../store/stats/stats.ts";
import { Histogram } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { HiddenFields, Select } from "../../ui/components/fields.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { type RowColumn, RowTable, TablePanel } from "../../ui/components/table.tsx";
import { Change, Count, RelativeTime } from "../../ui/components/values.tsx";
import { formatDuration, formatExact, formatPercent } from "../../ui/format.ts";
import { issuePath, sectionPath, transactionHref } from "../../ui/links.ts";
import { EVERYTHING, scopedHref, scopeParams } from "../../ui/scope.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import { NoTraces } from "../list_parts.tsx";
import { StatCharts, StatFigures } from "../stat_charts.tsx";
import { BreakdownPanel } from "./span_breakdown.tsx";
import type { Summary, SummaryParams } from "./load_summary.ts";
import { SamplePanel } from "./transaction_samples.tsx";
import { issueWords } from "../../errors/mod.ts";

export interface SummaryView extends Summary, PageView {
  /** What the profiles of the transactions tell; null when there are none. */
  readonly code: Waited<TransactionCode> | null;
  /** Address of the page as it was asked for. */
  readonly url: URL;
}

/** All that is known of the transactions of one name. */
export function SummaryPage(view: SummaryView) {
  const { shell, pageScope, params, total, ops, protocols } = view;
  const { project, scope } = pageScope;
  const path = `${sectionPath(project.id, "transactions")}/summary`;
  const keep = keepOf(params);
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
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
              pageScope={pageScope}
              what="transactions"
              path={transactionHref(project.id, EVERYTHING, params.name)}
              others={{
                href: scopedHref(sectionPath(project.id, "transactions"), scope),
                label: t("All transactions"),
              }}
            />
          </div>
        )
        : (
          <div class="space-y-4">
            <StatFigures {...view} />
            <StatCharts {...view} path={path} keep={keep} />
            <Distribution {...view} path={path} />
            <div class="grid gap-4 xl:grid-cols-[3fr_2fr]">
              <BreakdownPanel projectId={project.id} scope={scope} breakdown={view.breakdown} />
              <FacetPanel {...view} />
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
            <SamplePanel {...view} path={path} keep={keep} />
            <div class="grid gap-4 xl:grid-cols-2">
              <IssuePanel {...view} />
              <ReleasePanel {...view} path={path} keep={keep} />
            </div>
          </div>
        )}
    </ProjectPage>
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
  { pageScope: { scope }, params, total, histogram, path }: SummaryView & { readonly path: string },
) {
  return (
    <Panel>
      <Histogram
        id="distribution"
        title={t("How long they took")}
        buckets={histogram}
        {...params.range === null ? {} : { selection: params.range }}
        brushHref={scopedHref(path, scope, { ...keepOf(params), min: null, max: null })}
        unit="{n} transaction|{n} transactions"
        whole={Math.round(total.weight)}
      />
    </Panel>
  );
}

interface ReleasePanelProps extends SummaryView {
  readonly path: string;
  /** All parameters of the page, which comparing others keeps. */
  readonly keep: Readonly<Record<string, string | null>>;
}

interface ComparedFigure {
  readonly label: Message;
  readonly value: (stats: Stats) => number | null;
  readonly format: (value: number | null) => string;
  readonly more: "worse" | "neither";
}

const FIGURES: readonly ComparedFigure[] = [
  {
    label: message("Transactions"),
    value: ({ weight }) => Math.round(weight),
    format: formatExact,
    more: "neither",
  },
  { label: message("Average"), value: averageOf, format: formatDuration, more: "worse" },
  { label: "p50", value: quantile(0.5), format: formatDuration, more: "worse" },
  { label: "p95", value: quantile(0.95), format: formatDuration, more: "worse" },
  { label: "p99", value: quantile(0.99), format: formatDuration, more: "worse" },
  { label: message("Failure rate"), value: failureRate, format: formatPercent, more: "worse" },
];

function quantile(share: number) {
  return ({ sketch }: Stats) => sketch.quantile(share);
}

/** Two releases side by side: the two newest ones, unless others are chosen. */
function ReleasePanel(props: ReleasePanelProps) {
  const { path, pageScope: { scope, releases }, params, keep, byRelease } = props;
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
    <Panel title={t("Releases compared")} id="releases" flush>
      <form action={`${path}#releases`} class="flex flex-wrap items-end gap-2 px-4 pb-3">
        <HiddenFields pairs={[...scopeParams(scope), ...kept]} />
        <Select
          name="baseline"
          label={t("From")}
          options={options}
          value={baseline.release}
          size="sm"
        />
        <Select
          name="candidate"
          label={t("To")}
          options={options}
          value={candidate.release}
          size="sm"
        />
        <Button size="sm">{t("Compare")}</Button>
      </form>
      <RowTable
        caption={t("Releases compared")}
        isWide
        rows={FIGURES}
        rowKey={({ label }) => label}
        columns={[
          { label: t("Figure"), cell: ({ label }) => t(label) },
          ...[baseline, candidate].map((stats): RowColumn<ComparedFigure> => ({
            label: stats.release,
            align: "right",
            cell: ({ value, format }) => format(value(stats)),
          })),
          {
            label: t("Change@@difference"),
            align: "right",
            cell: ({ value, more }) => (
              <Change now={value(candidate)} before={value(baseline)} more={more} />
            ),
          },
        ]}
      />
    </Panel>
  );
}

/** What slow transactions have more often than others: where to look for the reason. */
function FacetPanel({ facets, slowFrom, params: { range } }: SummaryView) {
  // A page that is narrowed to some durations takes those for the slow ones.
  const isChosen = range !== null;
  return (
    <TablePanel
      title={t("What slow ones have in common")}
      description={isChosen
        ? t("Among those of the chosen durations, and among all; the newest 1,000 of each.")
        : t("Among those over {duration}, and among all; the newest 1,000 of each.", {
          duration: formatDuration(slowFrom),
        })}
      caption={t("Tags of slow transactions")}
      none={t("No tag is notably more frequent among them.")}
      rows={facets}
      rowKey={({ key, value }) => `${key}=${value}`}
      columns={[
        {
          label: t("Tag"),
          cellClass: "w-full max-w-0 min-w-40",
          cell: ({ key, value }) => (
            <span class="block truncate" title={`${key}: ${value}`}>
              <span class="text-muted">{key}</span> <bdi class="font-medium">{value}</bdi>
            </span>
          ),
        },
        {
          label: isChosen ? t("Of chosen") : t("Of slow"),
          align: "right",
          cell: ({ ofSlow }) => formatPercent(ofSlow),
        },
        {
          label: t("Of all"),
          align: "right",
          cellClass: "text-muted",
          cell: ({ ofAll }) => formatPercent(ofAll),
        },
      ]}
    />
  );
}

/** Issues whose errors happened in the traces of these transactions, as rows. */
function IssuePanel({ pageScope: { project, scope }, issues }: SummaryView) {
  return (
    <TablePanel
      title={t("Issues in these transactions")}
      description={t("Errors in the traces of the newest 500.")}
      none={t("No errors happened in them.")}
      rows={issues}
      rowKey={({ issueId }) => issueId}
      columns={[
        {
          label: t("Issue"),
          cellClass: "w-full max-w-0 min-w-40",
          cell: ({ issueId, ...issue }) => {
            const { title, culprit } = issueWords(issue);
            return (
              <>
                <a
                  class="row-link block truncate font-medium"
                  href={scopedHref(issuePath(project.id, issueId), scope)}
                  title={title}
                >
                  <bdi>{title}</bdi>
                </a>
                <span class="block truncate text-meta text-muted">{culprit}</span>
              </>
            );
          },
        },
        {
          label: t("Events"),
          align: "right",
          cell: ({ count }) => <Count value={count} unit="{n} event|{n} events" />,
        },
        {
          label: t("Last seen"),
          align: "right",
          cell: ({ lastSeen }) => <RelativeTime date={lastSeen} />,
        },
      ]}
    >
      {issues.length > 0 && (
        <p class="border-t border-line px-4 py-2">
          <LinkButton size="sm" href={scopedHref(sectionPath(project.id, "issues"), scope)}>
            {t("All issues")}
          </LinkButton>
        </p>
      )}
    </TablePanel>
  );
}
