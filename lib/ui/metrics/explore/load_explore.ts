import type { Logger } from "../../../log.ts";
import type { Sql } from "../../../telemetry/database.ts";
import { listMetrics, type StoredMetric } from "../../../telemetry/metrics/catalog.ts";
import { InvalidQuery } from "../../../telemetry/metrics/query/invalid_query.ts";
import { runQueries } from "../../../telemetry/metrics/query/run_queries.ts";
import {
  type QueryRequest,
  type QueryResult,
  WHOLE_SCOPE,
} from "../../../telemetry/metrics/query_types.ts";
import type { ChartMarker } from "../../charts/mod.ts";
import type { Tracing } from "../../tracing/load_tracing.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";
import { NO_EXEMPLARS, type ShownExemplars } from "./exemplar_table.tsx";
import type { Heat } from "./heat.ts";
import { loadExemplars } from "./load_exemplars.ts";
import { heatQueryOf } from "./heat_query.ts";
import { loadHeat } from "./load_heat.ts";
import { releaseMarkers } from "./release_markers.ts";

export interface Explored {
  readonly tracing: Tracing;
  readonly form: QueryForm;
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
  services: { readonly sql: Sql; readonly log: Logger },
  tracing: Tracing,
  form: QueryForm,
): Promise<Explored> {
  const { sql } = services;
  const { project } = tracing;
  const request = requestOf(tracing, form);
  const isHeat = form.view === "heatmap";
  const heatQuery = isHeat ? heatQueryOf(form) : null;
  const [answer, heat, exemplars, markers, suggestions] = await Promise.all([
    answered(isHeat || form.queries.length === 0 ? null : () => runQueries(services, request)),
    answered(heatQuery && (() => loadHeat(services, request, heatQuery))),
    // A filter that cannot be read is complained of by the answer.
    answered(() => loadExemplars(sql, tracing, form)),
    releaseMarkers(sql, tracing, form),
    form.queries.length > 0 ? [] : suggest(sql, project.id),
  ]);
  const result = answer.value;
  return {
    tracing,
    form,
    result,
    error: answer.error ?? heat.error,
    notes: result?.notes ?? [],
    markers,
    exemplars: exemplars.value ?? NO_EXEMPLARS,
    heat: heat.value,
    suggestions,
  };
}

function requestOf({ project, scope, interval }: Tracing, form: QueryForm): QueryRequest {
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
