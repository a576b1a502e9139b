import { isFailedStatus } from "../../records/span_rules.ts";
import type { Tracing } from "../../releases/request_scope.ts";
import { averageOf, failureRate, type Stats, totalTimeOf } from "../../store/stats/stats.ts";
import { before, comparable, minutesOf, quantilesOf, type Steps } from "../../store/stats/steps.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { Count, RelativeTime } from "../../ui/components/values.tsx";
import { FigureStrip, ShareOf } from "../../ui/figures.tsx";
import {
  formatCount,
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
  NONE,
} from "../../ui/format.ts";
import {
  queryGroupHref,
  queryPath,
  sectionPath,
  traceHref,
  transactionHref,
} from "../../ui/links.ts";
import { EVERYTHING, scopedHref } from "../../ui/scope.ts";
import { alongPage, ChartBox, TracingPage } from "../../ui/scoped_page.tsx";
import type { Shell } from "../../ui/shell.ts";
import { CATEGORY_WORDS, NoTraces } from "../list_parts.tsx";
import { FailureChart, RateChart } from "../stat_charts.tsx";
import type { QueryCaller, QueryDetail, QueryExample, QueryParams } from "./load_query.ts";
import { HintList } from "./query_hints.tsx";

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
                path={queryGroupHref(project.id, EVERYTHING, params)}
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

interface QueryChartsProps {
  readonly tracing: Tracing;
  /** Of the whole time. */
  readonly total: Stats;
  readonly steps: Steps;
  /** Of the page. */
  readonly path: string;
  readonly params: QueryParams;
}

/** Rate, duration and failures of a query: three charts along the time of the page. */
function QueryCharts({ tracing, total, steps, path, params }: QueryChartsProps) {
  const common = alongPage(tracing, steps, path, { ...params });
  const chart = { tracing, total, steps, common };
  const { sketch } = total;
  return (
    <div class="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <RateChart {...chart} title="Calls per minute" label="calls" />
      <ChartBox>
        <TimeChart
          {...common}
          id="durations"
          title="Duration"
          unit="duration"
          series={[
            { label: "average", values: steps.stats.map(averageOf), whole: averageOf(total) },
            { label: "p95", values: quantilesOf(steps, 0.95), whole: sketch.quantile(0.95) },
          ]}
        />
      </ChartBox>
      <FailureChart
        {...chart}
        title="Failure rate"
        label="failed"
        class="lg:max-xl:col-span-2"
      />
    </div>
  );
}

interface CallerPanelProps {
  readonly tracing: Tracing;
  /** Those that take the most time first. */
  readonly callers: readonly QueryCaller[];
}

const SHOWN = 25;

/** Transactions that have spans of the group, by name. */
function CallerPanel({ tracing: { project, scope }, callers }: CallerPanelProps) {
  return (
    <Panel title="Callers" description="Transactions that do this, by name." flush>
      <Table
        caption="Callers"
        columns={[
          { label: "Transaction" },
          { label: "Calls", align: "right" },
          { label: "In each", align: "right", class: "max-sm:hidden" },
          { label: "Average", align: "right", class: "max-sm:hidden" },
          { label: "Total time", align: "right" },
        ]}
      >
        {callers.slice(0, SHOWN).map(({ name, stats, share, perTransaction }) => (
          <Row key={name}>
            <Cell class="w-full max-w-0 min-w-40">
              {name === "" ? <span class="text-muted">no transaction told</span> : (
                <a
                  class="row-link block truncate"
                  title={name}
                  href={transactionHref(project.id, scope, name)}
                >
                  <bdi>{name}</bdi>
                </a>
              )}
            </Cell>
            <Cell align="right">
              <Count value={Math.round(stats.weight)} unit="calls" />
            </Cell>
            <Cell align="right" class="max-sm:hidden">
              <span title="Calls for each transaction">{perTransaction?.toFixed(1) ?? NONE}</span>
            </Cell>
            <Cell align="right" class="max-sm:hidden">{formatDuration(averageOf(stats))}</Cell>
            <Cell align="right">
              <ShareOf share={share} title={`${formatPercent(share)} of the time of all callers`}>
                {formatDuration(totalTimeOf(stats))}
              </ShareOf>
            </Cell>
          </Row>
        ))}
      </Table>
      {callers.length > SHOWN && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {`Those that take the most time of ${formatExact(callers.length)}.`}
        </p>
      )}
    </Panel>
  );
}

interface ExamplePanelProps {
  readonly tracing: Tracing;
  readonly examples: readonly QueryExample[];
}

/** Single spans of the group, each with the way to its trace. */
function ExamplePanel({ tracing, examples }: ExamplePanelProps) {
  return (
    <Panel
      title="Examples"
      description="The slowest call of some transactions, with its values as far as they were sent."
      flush
    >
      {examples.length === 0
        ? <p class="px-4 py-6 text-sm text-muted">None of these calls is stored any more.</p>
        : (
          <Table
            caption="Examples"
            columns={[
              { label: "Trace" },
              { label: "Call" },
              { label: "Times", align: "right", class: "max-sm:hidden" },
              { label: "Duration", align: "right" },
              { label: "When", align: "right", class: "max-md:hidden" },
            ]}
          >
            {examples.map((example) => (
              <Example key={example.spanId} tracing={tracing} example={example} />
            ))}
          </Table>
        )}
    </Panel>
  );
}

function Example(
  { tracing: { project, scope }, example }: { tracing: Tracing; example: QueryExample },
) {
  const { traceId, spanId, transaction, service, description, status, times } = example;
  return (
    <Row>
      <Cell>
        <a
          class="row-link font-mono text-accent"
          title={traceId}
          href={traceHref(project.id, traceId, spanId, scope)}
        >
          {traceId.slice(0, 8)}
        </a>
      </Cell>
      <Cell class="w-full max-w-0 min-w-40">
        <bdi class="line-clamp-2 font-mono wrap-anywhere" title={description}>{description}</bdi>
        <span class="flex min-w-0 items-center gap-1.5 text-meta text-muted">
          {isFailedStatus(status) && <Badge tone="danger" icon="error">{status}</Badge>}
          <span class="truncate">
            {[transaction, service].filter((fact) => fact !== "").join(" · ")}
          </span>
        </span>
      </Cell>
      <Cell align="right" class="max-sm:hidden">
        <span title="Such calls in this transaction">{formatExact(times)}</span>
      </Cell>
      <Cell align="right">{formatDuration(example.durationMs)}</Cell>
      <Cell align="right" class="max-md:hidden">
        <RelativeTime date={example.start} />
      </Cell>
    </Row>
  );
}
