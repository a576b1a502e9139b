import type { ProjectAccess } from "../accounts/authorize.ts";
import { findMetrics } from "./catalog.ts";
import { parseFilter } from "./filter_text.ts";
import { runQueries } from "./query/run_queries.ts";
import {
  type Aggregation,
  AGGREGATIONS,
  AGGREGATIONS_OF,
  type MetricQuery,
  type QueryRequest,
  type QueryResult,
  type ResultSeries,
} from "./query_types.ts";
import type { ApiContext } from "../api/api.ts";
import { ApiError } from "../api/api_error.ts";
import { readJson } from "../api/api_input.ts";
import { readKind } from "./list.ts";
import { QUERY_BODY, type QueryBody } from "./query_body.ts";
import {
  answered,
  readPeriod,
  readScope,
  readStep,
  readText,
  requireText,
} from "./read_request.ts";

const DEFAULT_TOP = 10;

/** One query by parameters: `metric`, `aggregation`, `filter`, `groupBy`, `top`, `step`, and the scope and period. */
export async function metricQueryReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { searchParams } = ctx.url;
  const query: QueryBody["queries"][number] = {
    id: "a",
    metric: requireText(searchParams, "metric"),
    kind: readKind(searchParams.get("kind")) ?? undefined,
    unit: searchParams.get("unit") ?? undefined,
    aggregation: readAggregation(searchParams.get("aggregation")),
    filter: searchParams.get("filter") ?? "",
    groupBy: readLabels(searchParams.getAll("groupBy")),
    top: readTop(searchParams.get("top")),
  };
  const body = {
    queries: [query],
    formulas: [],
    compare: readText(searchParams, "compare") === "1",
  };
  return await reply(ctx, access, searchParams, body, searchParams.get("step"));
}

/** Several queries and formulas as JSON, see `QUERY_BODY`. */
export async function metricQueriesReply(
  ctx: ApiContext,
  access: ProjectAccess,
): Promise<Response> {
  const body = await readJson(ctx.req, QUERY_BODY);
  const params = new URLSearchParams();
  for (const name of ["statsPeriod", "start", "end"] as const) {
    const text = body[name];
    if (text !== undefined) params.set(name, text);
  }
  for (const name of ["environment", "release", "service"] as const) {
    for (const value of body[name] ?? []) params.append(name, value);
  }
  const step = body.step === undefined ? null : String(body.step);
  return await reply(ctx, access, params, body, step);
}

type Asked = Pick<QueryBody, "queries" | "formulas" | "compare">;

async function reply(
  ctx: ApiContext,
  { project }: ProjectAccess,
  params: URLSearchParams,
  { queries, formulas, compare }: Asked,
  step: string | null,
): Promise<Response> {
  const { services } = ctx.state;
  const period = readPeriod(params, ctx);
  const stepMs = readStep(step);
  const result = await answered(async () => {
    const request: QueryRequest = {
      projectId: project.id,
      ...period,
      stepMs,
      scope: readScope(params),
      queries: await Promise.all(queries.map((query) => queryOf(ctx, project.id, query))),
      formulas,
      comparesPrevious: compare,
    };
    return { request, answer: await runQueries(services, request) };
  });
  return Response.json(resultJson(result.request.queries, result.answer));
}

async function queryOf(
  { state }: ApiContext,
  projectId: string,
  asked: QueryBody["queries"][number],
): Promise<MetricQuery> {
  const { id, metric, groupBy, top } = asked;
  const named = { metric, kind: asked.kind ?? null, unit: asked.unit ?? null };
  const filter = parseFilter(asked.filter);
  const aggregation = asked.aggregation ??
    await usualAggregation(state.services.sql, projectId, named);
  return { id, ...named, aggregation, filter, groupBy, top };
}

async function usualAggregation(
  sql: ApiContext["state"]["services"]["sql"],
  projectId: string,
  { metric, kind, unit }: Pick<MetricQuery, "metric" | "kind" | "unit">,
): Promise<Aggregation> {
  const found = (await findMetrics(sql, projectId, metric)).find((each) =>
    (kind === null || each.kind === kind) && (unit === null || each.unit === unit)
  );
  return AGGREGATIONS_OF[found?.kind ?? kind ?? "gauge"][0] ?? "avg";
}

/** One each, or several between commas. */
function readLabels(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(","))
    .map((label) => label.trim())
    .filter((label) => label !== "");
}

function readAggregation(text: string | null): Aggregation | undefined {
  if (!text) return undefined;
  const aggregation = AGGREGATIONS.find((each) => each === text);
  if (aggregation !== undefined) return aggregation;
  throw ApiError.detail(400, `Invalid aggregation: write ${AGGREGATIONS.join(", ")}`);
}

function readTop(text: string | null): number {
  if (!text) return DEFAULT_TOP;
  const top = Number(text);
  if (Number.isInteger(top) && top >= 1 && top <= 100) return top;
  throw ApiError.detail(400, "Invalid top: write 1 to 100");
}

function resultJson(
  queries: readonly MetricQuery[],
  { times, stepMs, series, facts, notes }: QueryResult,
) {
  return {
    /** Seconds, as the parameter. */
    step: stepMs / 1_000,
    times,
    series: series.map(seriesJson),
    queries: facts.map(({ id, unit, kind, seriesCount, groupCount }) => {
      const query = queries.find((each) => each.id === id);
      return {
        id,
        ...query && { metric: query.metric, aggregation: query.aggregation },
        kind,
        unit,
        series: seriesCount,
        groups: groupCount,
      };
    }),
    notes,
  };
}

function seriesJson({ queryId, labels, isPrevious, values, figures }: ResultSeries) {
  return { query: queryId, labels, isPrevious, values, ...figures };
}
