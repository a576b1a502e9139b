import { type Message, message, t } from "../../core/language/translate.ts";
import { HiddenFields } from "../../ui/components/fields.tsx";
import type { PageScope } from "../../releases/request_scope.ts";
import { Button, LinkButton, Menu } from "../../ui/components/button.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { classes } from "../../ui/components/icon.tsx";
import { Alert, EmptyState } from "../../ui/components/panel.tsx";
import { sectionPath } from "../../ui/links.ts";
import { type ExtraParams, type Scope, scopeParams } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import {
  explorationParams,
  EXPLORE_DEFAULTS,
  exploreHref,
  explorePath,
  metricCompletionsPath,
  metricHref,
  type View,
} from "../exploration.ts";
import { formatFilter } from "../filter.ts";
import { heatQueryOf, HeatResult } from "../heat_map.tsx";
import { type FirstStep, NoMetrics } from "../list/metric_list_page.tsx";
import type { QueryForm } from "../query_form/load_query_form.ts";
import { QueryBuilder, ROW_CONTROL, rowControl, RowField } from "../query_form/query_builder.tsx";
import type { Explored } from "./load_explore.ts";
import { Results } from "./results.tsx";

export interface ExploreView extends Explored {
  readonly shell: Shell;
  /** Of the service. */
  readonly baseUrl: string;
  /** For a project without metrics. */
  readonly firstSteps: readonly FirstStep[];
}

/** Questions to metrics and their answers as charts, tables, figures or a heat map. */
export function ExplorePage(view: ExploreView) {
  const { shell, pageScope, form, result, heat, error, notes } = view;
  const path = explorePath(pageScope.project.id);
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="metrics"
      path={path}
      title={t("Explore metrics")}
      crumbs={[{ label: t("Explore") }]}
      keep={keptParams(view)}
      actions={form.queries.length > 0 && <Actions {...view} />}
    >
      <ExploreForm pageScope={pageScope} form={form} />
      {form.queries.length === 0
        ? <NothingAsked {...view} />
        : (
          <section aria-label={t("Result")} class="mt-3">
            <div class="flex flex-wrap items-start justify-between gap-2">
              <ViewLinks pageScope={pageScope} form={form} />
              <ApiCall pageScope={pageScope} form={form} baseUrl={view.baseUrl} />
            </div>
            {error !== null && (
              <Alert kind="warning" title={t("This query cannot be run")} class="mt-3">
                {error}
              </Alert>
            )}
            {notes.map((note) => (
              <p key={note} class="mt-2 wrap-anywhere text-sm text-muted">{note}</p>
            ))}
            {result !== null && <Results {...view} result={result} />}
            {form.view === "heatmap" && error === null && <HeatResult heat={heat} />}
          </section>
        )}
    </ProjectPage>
  );
}

/** Without a query that can be read: what is wrong stands beside its field, or nothing was chosen yet. */
function NothingAsked(view: ExploreView) {
  const { problems } = view.form;
  if (problems.length === 0) return <ChooseMetric {...view} />;
  return (
    <Alert kind="warning" title={t("This query cannot be run")} class="mt-3">
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
function Actions({ pageScope, form }: ExploreView) {
  const { project, scope } = pageScope;
  const params = new URLSearchParams([...scopeParams(scope), ...explorationParams(form)]);
  return (
    <>
      <LinkButton icon="dashboards" href={`${sectionPath(project.id, "dashboards")}/add?${params}`}>
        {t("Add to dashboard")}
      </LinkButton>
      <LinkButton icon="alerts" href={`${sectionPath(project.id, "alerts")}/new?${params}`}>
        {t("Create alert")}
      </LinkButton>
    </>
  );
}

/** What is asked of which project and time. */
type Asking = Pick<ExploreView, "pageScope" | "form">;

/** Seconds with their names. */
const STEPS = [
  [1, message("1 s")],
  [10, message("10 s")],
  [60, message("1 min")],
  [300, message("5 min")],
  [600, message("10 min")],
  [1_800, message("30 min")],
  [3_600, message("1 h")],
  [21_600, message("6 h")],
  [86_400, message("1 d")],
] as const;

/** Queries, step and comparison: a form that leads to the page's own address. */
function ExploreForm({ pageScope, form }: Asking) {
  const { project, scope } = pageScope;
  const { hidden, view } = form;
  const kept: [string, string][] = [
    ...scopeParams(scope),
    ...hidden.map((id): [string, string] => ["hide", id]),
    ...view === EXPLORE_DEFAULTS.view ? [] : [["view", view] satisfies [string, string]],
    // Says that the address is the form's, with empty fields in it.
    ["form", "1"],
  ];
  return (
    <form
      method="get"
      action={explorePath(project.id)}
      class="rounded-lg border border-line bg-surface p-3"
    >
      <HiddenFields pairs={kept} />
      <QueryBuilder form={form} completionsPath={metricCompletionsPath(project.id)} />
      <div class="mt-3 flex flex-wrap items-end gap-x-4 gap-y-2 border-t border-line pt-3">
        <StepField form={form} />
        <label class="flex h-8 items-center gap-2 text-sm">
          <input
            type="checkbox"
            name="compare"
            value="1"
            checked={form.comparesPrevious}
            class="size-4 accent-accent-fill"
          />
          {t("Compare with the time before")}
        </label>
        <Button kind="primary" class="ml-auto">{t("Update")}</Button>
      </div>
    </form>
  );
}

function StepField({ form: { stepMs, problems } }: Pick<Asking, "form">) {
  const seconds = stepMs === null ? null : stepMs / 1000;
  const isListed = seconds === null || STEPS.some(([step]) => step === seconds);
  return (
    <RowField name="step" label={t("Step")} problems={problems} class="w-32">
      <select {...rowControl("step", problems)} class={ROW_CONTROL}>
        <option value="">{t("automatic")}</option>
        {!isListed && <option value={seconds} selected>{t("{n} s", { n: seconds })}</option>}
        {STEPS.map(([step, label]) => (
          <option key={step} value={step} selected={step === seconds}>{t(label)}</option>
        ))}
      </select>
    </RowField>
  );
}

/** In place of an answer while nothing is asked: metrics to begin with. */
function ChooseMetric({ pageScope: { project, scope }, suggestions, firstSteps }: ExploreView) {
  if (suggestions.length === 0) {
    return (
      <div class="mt-3 rounded-lg border border-line bg-surface">
        <NoMetrics projectId={project.id} isNarrowed={false} firstSteps={firstSteps} />
      </div>
    );
  }
  return (
    <div class="mt-3 rounded-lg border border-line bg-surface">
      <EmptyState icon="metrics" title={t("Which metric?")}>
        {t("Type its name above, or begin with one of these:")}
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

const NAMES: Readonly<Record<View, Message>> = {
  line: "Lines@@chart",
  area: "Areas",
  bars: "Bars",
  table: "Table",
  value: "Values",
  heatmap: "Heat map",
};

/** How the answer is shown; the heat map is offered for distributions alone. */
function ViewLinks({ pageScope: { project, scope }, form }: Asking) {
  const views = (Object.keys(NAMES) as View[]).filter((view) =>
    view !== "heatmap" || view === form.view || heatQueryOf(form) !== null
  );
  return (
    <nav aria-label={t("Views")} class="flex flex-wrap gap-1.5 text-sm">
      {views.map((view) => (
        <a
          key={view}
          href={exploreHref(project.id, { ...form, view }, scope)}
          aria-current={view === form.view ? "true" : undefined}
          class={classes(
            "inline-flex h-7 items-center rounded-md border px-2.5",
            view === form.view ? "border-accent text-accent" : "border-line-strong hover:bg-hover",
          )}
        >
          {t(NAMES[view])}
        </a>
      ))}
    </nav>
  );
}

/** The same question to the API, to be copied. */
function ApiCall({ pageScope, form, baseUrl }: Pick<ExploreView, keyof Asking | "baseUrl">) {
  return (
    <Menu
      label={t("As an API call")}
      align="right"
      buttonClass="inline-flex h-7 items-center rounded-md border border-line-strong px-2.5 text-sm hover:bg-hover"
      button={t("API call")}
      panelClass="w-160 max-w-[calc(100vw-2rem)] p-3"
    >
      <p class="mb-2 text-sm text-muted">
        {t("The same result as JSON. The token is one of your organization's settings.")}
      </p>
      <CodeBlock
        id="api-call"
        label={t("API call")}
        language="bash"
        code={apiCall(baseUrl, pageScope, form)}
      />
    </Menu>
  );
}

/**
 * A command that asks the API the same: one query in the address, several or formulas as JSON.
 *
 * @param baseUrl of the service, without a slash at its end
 */
export function apiCall(
  baseUrl: string,
  { project, scope, interval }: Pick<PageScope, "project" | "scope" | "interval">,
  asked: Pick<QueryForm, "queries" | "formulas" | "stepMs" | "comparesPrevious">,
): string {
  const address =
    `${baseUrl}/api/0/projects/${project.organizationId}/${project.id}/metrics/query/`;
  const [query] = asked.queries;
  const isOne = asked.queries.length === 1 && asked.formulas.length === 0;
  const time = { start: isoSeconds(interval.start), end: isoSeconds(interval.end) };
  if (query === undefined || !isOne) {
    const { environments, releases, services } = scope;
    const body = {
      ...time,
      ...asked.stepMs !== null && { step: asked.stepMs / 1000 },
      ...environments.length > 0 && { environment: environments },
      ...releases.length > 0 && { release: releases },
      ...services.length > 0 && { service: services },
      queries: asked.queries.map((one) => ({
        id: one.id,
        metric: one.metric,
        ...one.kind !== null && { kind: one.kind },
        ...one.unit !== null && { unit: one.unit },
        aggregation: one.aggregation,
        filter: formatFilter(one.filter),
        groupBy: one.groupBy,
        top: one.top,
      })),
      formulas: asked.formulas,
      ...asked.comparesPrevious && { compare: true },
    };
    return `curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}' \\
  '${address}'`;
  }
  const params = new URLSearchParams([
    ["metric", query.metric],
    ...query.kind === null ? [] : [["kind", query.kind]],
    ...query.unit === null ? [] : [["unit", query.unit]],
    ["aggregation", query.aggregation],
    ...query.filter.length === 0 ? [] : [["filter", formatFilter(query.filter)]],
    ...query.groupBy.map((label) => ["groupBy", label]),
    ...query.top === EXPLORE_DEFAULTS.top ? [] : [["top", String(query.top)]],
    ...scopeWithoutTime(scope),
    ...Object.entries(time),
    ...asked.stepMs === null ? [] : [["step", String(asked.stepMs / 1000)]],
    ...asked.comparesPrevious ? [["compare", "1"]] : [],
  ]);
  return `curl -H "Authorization: Bearer $TOKEN" \\
  '${address}?${params}'`;
}

function scopeWithoutTime(scope: Scope): [string, string][] {
  return scopeParams(scope).filter(([name]) => !["range", "start", "end"].includes(name));
}

function isoSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
