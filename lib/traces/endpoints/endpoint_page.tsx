import { rich, t } from "../../core/language/translate.ts";
import type { PageView } from "../../releases/request_scope.ts";
import { type Steps } from "../../store/stats/steps.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Nothing } from "../../ui/components/table.tsx";
import { FigureStrip } from "../../ui/components/values.tsx";
import { formatCount, formatDuration } from "../../ui/format.ts";
import { endpointHref, endpointPath, sectionPath, transactionHref } from "../../ui/links.ts";
import { EVERYTHING, scopedHref } from "../../ui/scope.ts";
import { alongPage, ChartBox, ProjectPage } from "../../ui/scoped_page.tsx";
import { NoTraces } from "../list_parts.tsx";
import { ApdexChart, DurationChart, FailureChart, figuresOf } from "../stat_charts.tsx";
import { SampleTable, type TransactionSample } from "../transactions/transaction_samples.tsx";
import { CallerPanel, PartPanel, StatusPanel } from "./endpoint_panels.tsx";
import type { EndpointDetail } from "./load_endpoint.ts";
import { answersOf, PROTOCOL_WORDS, STATUS_CLASSES } from "./load_endpoints.ts";

export type EndpointDetailView = EndpointDetail & PageView;

/** All that is known of one HTTP endpoint. */
export function EndpointDetailPage(view: EndpointDetailView) {
  const { shell, pageScope, params: { key, method }, routes, total } = view;
  const { project, scope } = pageScope;
  const path = endpointPath(project.id);
  const [route = key.slice(method.length + 1)] = routes;
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
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
              pageScope={pageScope}
              what="requests"
              path={endpointHref(project.id, EVERYTHING, key)}
              others={{
                href: scopedHref(sectionPath(project.id, "endpoints"), scope),
                label: t("All endpoints"),
              }}
            />
          </div>
        )
        : (
          <div class="space-y-4">
            <Figures {...view} />
            <EndpointCharts {...view} />
            <div class="grid gap-4 xl:grid-cols-2">
              <Transactions {...view} />
              <CallerPanel pageScope={pageScope} callers={view.callers} />
            </div>
            <Samples
              view={view}
              title={t("Slowest requests")}
              description={t("Of those that did not fail.")}
              samples={view.slowest}
              none={t("None of its requests that did not fail is stored.")}
            />
            <Samples
              view={view}
              title={t("Failed requests")}
              description={t("The newest ones.")}
              samples={view.failed}
              none={t("None of its requests failed.")}
            />
            <div class="grid gap-4 xl:grid-cols-2">
              <StatusPanel statuses={view.statuses} />
              <Releases {...view} />
            </div>
          </div>
        )}
    </ProjectPage>
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
          {rich("also written {routes}", {
            routes: <bdi class="font-mono wrap-anywhere">{others.join(", ")}</bdi>,
          })}
        </span>
      )}
    </span>
  );
}

function Figures({ pageScope, total, previous }: EndpointDetailView) {
  const { rate, median, p95, failures, apdex, users } = figuresOf(pageScope, total, previous);
  const requests = Math.round(total.weight);
  return (
    <FigureStrip
      figures={[
        {
          label: t("Requests"),
          value: formatCount(requests),
          title: t("{n} request, {rate}|{n} requests, {rate}", { n: requests, rate: rate.value }),
          change: rate.change,
        },
        median,
        { ...p95, title: `p99 ${formatDuration(total.sketch.quantile(0.99))}` },
        {
          ...failures,
          label: t("Error rate"),
          title: t("{failed} of {total} failed, {status5xx} of them with a status of 5xx", {
            failed: total.failures,
            total: total.count,
            status5xx: total.statuses[3],
          }),
        },
        apdex,
        users,
      ]}
    />
  );
}

function Transactions({ pageScope: { project, scope }, transactions }: EndpointDetailView) {
  return (
    <PartPanel
      title={t("Transactions")}
      description={t("Names by which services report this endpoint.")}
      label={t("Name")}
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

function Releases({ pageScope: { project, scope }, params, byRelease }: EndpointDetailView) {
  return (
    <PartPanel
      title={t("Releases")}
      label={t("Release")}
      parts={byRelease.map((part) => ({
        ...part,
        key: part.release,
        title: part.release === "" ? <span class="text-muted">{t("no release")}</span> : (
          <a
            class="row-link"
            title={t("Only {name}", { name: part.release })}
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

function Samples({ view: { pageScope }, title, description, samples, none }: SamplesProps) {
  return (
    <Panel title={title} description={description} flush>
      {samples.length === 0
        ? <Nothing>{none}</Nothing>
        : <SampleTable pageScope={pageScope} samples={samples} caption={title} />}
    </Panel>
  );
}

/** How an endpoint answered, how fast and how well: four charts along the time of the page. */
function EndpointCharts({ pageScope, total, steps, params }: EndpointDetailView) {
  const path = endpointPath(pageScope.project.id);
  const common = alongPage(pageScope, steps, path, { endpoint: params.key });
  const chart = { pageScope, total, steps, common };
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      <ChartBox>
        <TimeChart
          {...common}
          id="answers"
          title={t("Requests per minute by status")}
          unit="rate"
          series={answerSeries(steps)}
        />
      </ChartBox>
      <DurationChart {...chart} />
      <FailureChart {...chart} title={t("Error rate")} label={t("errors")} />
      <ApdexChart {...chart} />
    </div>
  );
}

/** One series for each status class that occurred. */
function answerSeries({ stats, minutes }: Steps) {
  const answers = stats.map(answersOf);
  return STATUS_CLASSES.map(({ label, color }, place) => ({
    label: label === "none" ? t("no status") : label,
    color,
    kind: "stacked" as const,
    values: answers.map((each, step) => (each[place] ?? 0) / (minutes[step] ?? 1)),
  })).filter(({ values }) => values.some((value) => value > 0));
}
