import type { PageScope } from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import type { Backend } from "../../store/stores.ts";
import type { ChartMarker } from "../../ui/charts/mod.ts";
import { listMetrics, type StoredMetric } from "../catalog.ts";
import { type Heat, heatQueryOf, loadHeat } from "../heat_map.tsx";
import type { QueryForm } from "../query_form/load_query_form.ts";
import {
  InvalidQuery,
  type MetricQuery,
  type QueryRequest,
  type QueryResult,
  WHOLE_SCOPE,
} from "../query_types.ts";
import { runQueries } from "../query/run_queries.ts";
import { SharedReads } from "../query/shared_reads.ts";
import { releaseFirsts } from "../scope_names.ts";
import { loadExemplars, NO_EXEMPLARS, type ShownExemplars } from "./exemplars.tsx";

export interface Explored {
  readonly pageScope: PageScope;
  readonly form: QueryForm;
  /** What is answered: of what the form asks what there is. */
  readonly shown: QueryForm;
  /** Null when nothing is asked or it cannot be answered. */
  readonly result: QueryResult | null;
  /** Why it cannot be answered. */
  readonly error: string | null;
  readonly notes: readonly string[];
  readonly markers: readonly ChartMarker[];
  readonly exemplars: ShownExemplars;
  /** Of the view of the same name alone. */
  readonly heat: Heat | null;
  /** Metrics to begin with, when nothing is asked. */
  readonly suggestions: readonly StoredMetric[];
}

const SUGGESTED = 12;

/** Answers what the explorer's address asks for. */
export async function loadExplore(
  services: Pick<Backend, "sql" | "log">,
  pageScope: PageScope,
  form: QueryForm,
): Promise<Explored> {
  const { sql } = services;
  const { project } = pageScope;
  const reading = { ...services, ...asksOften(form) && { shared: new SharedReads() } };
  const ask = (asked: QueryForm) => runQueries(reading, requestOf(pageScope, asked));
  const request = requestOf(pageScope, form);
  const isHeat = form.view === "heatmap";
  const heatQuery = isHeat ? heatQueryOf(form) : null;
  const [answer, heat, exemplars, markers, suggestions] = await Promise.all([
    answered(isHeat || form.queries.length === 0 ? null : () => ask(form)),
    answered(heatQuery && (() => loadHeat(reading, request, heatQuery))),
    // A filter that cannot be read is complained of by the answer.
    answered(() => loadExemplars(sql, pageScope, form)),
    releaseMarkers(sql, pageScope, form),
    form.queries.length > 0 ? [] : suggest(sql, project.id),
  ]);
  const shown = answer.value === null ? form : withoutBuckets(form, answer.value);
  const second = shown === form ? answer : await answered(() => ask(shown));
  return {
    pageScope,
    form,
    shown,
    result: second.value,
    error: second.error ?? heat.error,
    notes: answer.value?.notes ?? [],
    markers,
    exemplars: exemplars.value ?? NO_EXEMPLARS,
    heat: heat.value,
    suggestions,
  };
}

/** Whether several queries are of one metric: what they read is shared. One alone reads no column but its own. */
function asksOften({ queries }: QueryForm): boolean {
  return new Set(queries.map(({ metric }) => metric)).size < queries.length;
}

const MAX_QUERIES = 10;

/** With averages and counts instead of quantiles that cannot be told; as it was where formulas reckon with them. */
function withoutBuckets(form: QueryForm, { facts }: QueryResult): QueryForm {
  const bare = new Set(facts.flatMap(({ id, lacksBuckets }) => lacksBuckets ? [id] : []));
  if (bare.size === 0 || form.formulas.length > 0) return form;
  const used = form.queries.map(({ id }) => id);
  const free = [..."abcdefghijklmnopqrstuvwxyz"].filter((id) => !used.includes(id))
    .slice(0, MAX_QUERIES - used.length);
  const queries = form.queries.flatMap((query): MetricQuery[] => {
    if (!bare.has(query.id)) return [query];
    const id = free.shift();
    return [
      { ...query, aggregation: "avg" },
      ...id === undefined ? [] : [{ ...query, id, aggregation: "count" as const }],
    ];
  });
  return { ...form, queries };
}

function requestOf({ project, scope, interval }: PageScope, form: QueryForm): QueryRequest {
  const { environments, releases, services } = scope;
  return {
    projectId: project.id,
    ...interval,
    stepMs: form.stepMs,
    scope: { environments, releases, services },
    queries: form.queries,
    formulas: form.formulas,
    comparesPrevious: form.comparesPrevious,
  };
}

interface Answer<T> {
  readonly value: T | null;
  readonly error: string | null;
}

/** What cannot be answered is said within the page. */
async function answered<T>(ask: (() => Promise<T>) | null): Promise<Answer<T>> {
  try {
    return { value: ask && await ask(), error: null };
  } catch (error) {
    if (error instanceof InvalidQuery) return { value: null, error: error.message };
    throw error;
  }
}

async function suggest(sql: Sql, projectId: string): Promise<readonly StoredMetric[]> {
  const { rows } = await listMetrics(sql, projectId, {
    search: "",
    kind: null,
    scope: WHOLE_SCOPE,
    cursor: null,
    limit: SUGGESTED,
  });
  return rows;
}

/** The releases that began in the time of the page: by their transactions, else by the metrics that are asked for. */
async function releaseMarkers(
  sql: Sql,
  { project, interval, markers }: PageScope,
  { queries, known }: QueryForm,
): Promise<readonly ChartMarker[]> {
  if (markers.length > 0) return markers;
  const metricIds = queries.flatMap(({ metric }) =>
    (known[metric] ?? []).map(({ metricId }) => metricId)
  );
  const starts = await releaseFirsts(sql, project.id, metricIds, interval);
  return starts.map(({ release, at }) => ({ at: at.getTime(), label: release }));
}
