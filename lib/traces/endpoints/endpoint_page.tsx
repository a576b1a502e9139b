import type { Tracing } from "../../releases/request_scope.ts";
import { apdex, averageOf, failureRate, type Stats } from "../../store/stats/stats.ts";
import { before, comparable, minutesOf, type Steps } from "../../store/stats/steps.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { FigureStrip } from "../../ui/figures.tsx";
import {
  formatCount,
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
  NONE,
} from "../../ui/format.ts";
import { endpointHref, endpointPath, sectionPath, transactionHref } from "../../ui/links.ts";
import { EVERYTHING, scopedHref } from "../../ui/scope.ts";
import { alongPage, ChartBox, TracingPage } from "../../ui/scoped_page.tsx";
import type { Shell } from "../../ui/shell.ts";
import { NoTraces } from "../list_parts.tsx";
import { ApdexChart, DurationChart, FailureChart } from "../stat_charts.tsx";
import { SampleTable } from "../transactions/sample_table.tsx";
import type { TransactionSample } from "../transactions/transaction_samples.ts";
import { CallerPanel, PartPanel, StatusPanel } from "./endpoint_panels.tsx";
import type { EndpointDetail } from "./load_endpoint.ts";
import { answersOf, PROTOCOL_WORDS, STATUS_CLASSES } from "./load_endpoints.ts";

export interface EndpointDetailView extends EndpointDetail {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** All that is known of one HTTP endpoint. */
export function EndpointDetailPage(view: EndpointDetailView) {
  const { shell, tracing, params: { key, method }, routes, total, steps } = view;
  const { project, scope } = tracing;
  const path = endpointPath(project.id);
  const [route = key.slice(method.length + 1)] = routes;
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="endpoints"
      path={path}
      keep={{ endpoint: key }}
      sampled={total}
      crumbs={[{ label: `${method} ${route}` }]}
      title={<bdi class="wrap-anywhere">{`${method} ${route}`}</bdi>}
      description={<Facts {...view} />}
    >
      {total.count === 0
        ? (
          <div class="rounded-lg border border-line bg-surface">
            <NoTraces
              tracing={tracing}
              what="requests"
              path={endpointHref(project.id, EVERYTHING, key)}
              others={{
                href: scopedHref(sectionPath(project.id, "endpoints"), scope),
                label: "All endpoints",
              }}
            />
          </div>
        )
        : (
          <div class="space-y-4">
            <Figures {...view} />
            <EndpointCharts
              tracing={tracing}
              total={total}
              steps={steps}
              path={path}
              endpoint={key}
            />
            <div class="grid gap-4 xl:grid-cols-2">
              <Transactions {...view} />
              <CallerPanel tracing={tracing} callers={view.callers} />
            </div>
            <Samples
              view={view}
              title="Slowest requests"
              description="Of those that did not fail."
              samples={view.slowest}
              none="None of its requests that did not fail is stored."
            />
            <Samples
              view={view}
              title="Failed requests"
              description="The newest ones."
              samples={view.failed}
              none="None of its requests failed."
            />
            <div class="grid gap-4 xl:grid-cols-2">
              <StatusPanel statuses={view.statuses} />
              <Releases {...view} />
            </div>
          </div>
        )}
    </TracingPage>
  );
}

function Facts({ routes, services, protocols }: EndpointDetailView) {
  const others = routes.slice(1, 4);
  return (
    <span class="flex flex-wrap items-center gap-1.5">
      {services.map((service) => <Badge key={service} tone="accent">{service}</Badge>)}
      {protocols.map((each) => <Badge key={each}>{PROTOCOL_WORDS[each] ?? each}</Badge>)}
      {others.length > 0 && (
        <span class="text-sm">
          also written <bdi class="font-mono wrap-anywhere">{others.join(", ")}</bdi>
        </span>
      )}
    </span>
  );
}

function Figures({ tracing, total, ...view }: EndpointDetailView) {
  const { interval, now, apdexMs } = tracing;
  const previous = comparable(view.previous);
  const rates = {
    now: total.weight / minutesOf(interval, now),
    before: previous.weight / minutesOf(before(interval), now),
  };
  const quantile = (share: number) => ({
    now: total.sketch.quantile(share),
    before: previous.sketch.quantile(share),
  });
  const score = apdex(total.sketch, apdexMs);
  return (
    <FigureStrip
      figures={[
        {
          label: "Requests",
          value: formatCount(Math.round(total.weight)),
          title: `${formatExact(Math.round(total.weight))} requests, ${formatRate(rates.now)}`,
          change: { ...rates, more: "neither" },
        },
        {
          label: "Median",
          value: formatDuration(quantile(0.5).now),
          title: `Average ${formatDuration(averageOf(total))}`,
          change: quantile(0.5),
        },
        {
          label: "p95",
          value: formatDuration(quantile(0.95).now),
          title: `p99 ${formatDuration(quantile(0.99).now)}`,
          change: quantile(0.95),
        },
        {
          label: "Error rate",
          value: formatPercent(failureRate(total)),
          title: `${formatExact(total.failures)} of ${formatExact(total.count)} failed, ${
            formatExact(total.statuses[3])
          } of them answered 5xx`,
          change: { now: failureRate(total), before: failureRate(previous) },
        },
        {
          label: `Apdex (${formatDuration(apdexMs)})`,
          value: score?.toFixed(2) ?? NONE,
          change: { now: score, before: apdex(previous.sketch, apdexMs), more: "better" },
        },
        {
          label: "Users",
          value: formatExact(total.users),
          title: "Different users; beyond 256 an estimate",
          change: { now: total.users, before: previous.users, more: "neither" },
        },
      ]}
    />
  );
}

function Transactions({ tracing: { project, scope }, transactions }: EndpointDetailView) {
  return (
    <PartPanel
      title="Transactions"
      description="Names by which services report this endpoint."
      label="Name"
      parts={transactions.map((part) => ({
        ...part,
        key: part.name,
        title: (
          <a
            class="row-link"
            title={part.name}
            href={transactionHref(project.id, scope, part.name)}
          >
            <bdi>{part.name}</bdi>
          </a>
        ),
      }))}
    />
  );
}

function Releases({ tracing: { project, scope }, params, byRelease }: EndpointDetailView) {
  return (
    <PartPanel
      title="Releases"
      label="Release"
      parts={byRelease.map((part) => ({
        ...part,
        key: part.release,
        title: part.release === "" ? <span class="text-muted">none told</span> : (
          <a
            class="row-link"
            title={`Only ${part.release}`}
            href={endpointHref(project.id, { ...scope, releases: [part.release] }, params.key)}
          >
            <bdi>{part.release}</bdi>
          </a>
        ),
      }))}
    />
  );
}

interface SamplesProps {
  readonly view: EndpointDetailView;
  readonly title: string;
  readonly description?: string;
  readonly samples: readonly TransactionSample[];
  /** In place of the list. */
  readonly none: string;
}

function Samples({ view: { tracing }, title, description, samples, none }: SamplesProps) {
  return (
    <Panel title={title} description={description} flush>
      {samples.length === 0
        ? <p class="px-4 py-6 text-sm text-muted">{none}</p>
        : <SampleTable tracing={tracing} samples={samples} caption={title} />}
    </Panel>
  );
}

interface EndpointChartsProps {
  readonly tracing: Tracing;
  /** Of the whole time. */
  readonly total: Stats;
  readonly steps: Steps;
  /** Of the page. */
  readonly path: string;
  readonly endpoint: string;
}

/** How an endpoint answered, how fast and how well: four charts along the time of the page. */
function EndpointCharts({ tracing, total, steps, path, endpoint }: EndpointChartsProps) {
  const common = alongPage(tracing, steps, path, { endpoint });
  const chart = { tracing, total, steps, common };
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      <ChartBox>
        <TimeChart
          {...common}
          id="answers"
          title="Requests per minute by status"
          unit="rate"
          series={answerSeries(steps)}
        />
      </ChartBox>
      <DurationChart {...chart} />
      <FailureChart {...chart} title="Error rate" label="errors" />
      <ApdexChart {...chart} />
    </div>
  );
}

/** One series for each status class that occurred. */
function answerSeries({ stats, minutes }: Steps) {
  const answers = stats.map(answersOf);
  return STATUS_CLASSES.map(({ label, color }, place) => ({
    label: label === "none" ? "no status" : label,
    color,
    kind: "stacked" as const,
    values: answers.map((each, step) => (each[place] ?? 0) / (minutes[step] ?? 1)),
  })).filter(({ values }) => values.some((value) => value > 0));
}
