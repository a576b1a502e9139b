import { z } from "zod";
import type { ProjectAccess } from "../accounts/authorize.ts";
import { onProject } from "../api/access.ts";
import {
  PAGE_QUERY,
  readInterval,
  readLimit,
  SCOPE_QUERY,
  textUpTo,
  wordOf,
} from "../api/lists.ts";
import { type ApiContext, ApiError, type ApiRoutes, listReply } from "../api/route.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/time.ts";
import type { Interval } from "../ui/scope.ts";
import {
  findMetrics,
  labelKeys,
  labelValues,
  type ListedMetric,
  listMetrics,
  readMetricCursor,
} from "./catalog.ts";
import { parseFilter } from "./filter.ts";
import {
  type Aggregation,
  AGGREGATIONS,
  AGGREGATIONS_OF,
  InvalidQuery,
  meantMetric,
  METRIC_KINDS,
  type MetricQuery,
  type MetricScope,
  type QueryRequest,
  type QueryResult,
  type ResultSeries,
} from "./query_types.ts";
import { runQueries } from "./query/run_queries.ts";

const name = z.string().min(1).max(255);
const values = z.array(z.string().max(1_000)).max(100);
const period = z.string().max(40);

/**
 * Several queries and formulas. Ids are letters that formulas use; queries without one are a, b, c in their order, and
 * formulas f1, f2.
 */
export const QUERY_BODY = z.object({
  queries: z.array(z.object({
    id: z.string().max(10).optional(),
    metric: name,
    kind: z.enum(METRIC_KINDS).optional(),
    unit: z.string().max(255).optional(),
    /** Without one, the usual one of its kind. */
    aggregation: z.enum(AGGREGATIONS).optional(),
    /** As `route="/orders",status=~"5.."`. */
    filter: z.string().default(""),
    groupBy: z.array(name).default([]),
    top: z.number().int().min(1).max(100).default(10),
  })).min(1).max(10).transform((queries) =>
    queries.map((query, place) => ({ ...query, id: query.id ?? "abcdefghij"[place] ?? "a" }))
  ),
  formulas: z.array(z.object({
    id: z.string().max(10).optional(),
    expression: z.string().max(1_000),
    unit: z.string().max(255).default(""),
  })).max(10).default([]).transform((formulas) =>
    formulas.map((formula, place) => ({ ...formula, id: formula.id ?? `f${place + 1}` }))
  ),
  statsPeriod: period.optional(),
  start: period.optional(),
  end: period.optional(),
  /** Seconds, or as `5m`. */
  step: z.union([z.number().int().positive(), z.string().max(20)]).optional(),
  environment: values.optional(),
  release: values.optional(),
  service: values.optional(),
  compare: z.boolean().default(false),
});

type QueryBody = z.infer<typeof QUERY_BODY>;

const MAX_TEXT = 1_000;
const metric = z.string().min(1).max(MAX_TEXT, `write at most ${MAX_TEXT} characters`);
const kind = wordOf(METRIC_KINDS).optional();
const TOP = "write 1 to 100";

const ListQuery = z.object({
  query: textUpTo(MAX_TEXT).describe("Part of the name"),
  kind,
  ...SCOPE_QUERY,
  ...PAGE_QUERY,
  limit: PAGE_QUERY.per_page,
});

const LabelQuery = z.object({ metric });
const LabelValueQuery = z.object({ metric, prefix: textUpTo(MAX_TEXT) });

/** One query. */
const OneQuery = z.object({
  metric,
  kind,
  unit: z.string().optional(),
  aggregation: wordOf(AGGREGATIONS).optional(),
  filter: z.string().default("").describe('As route="/orders",status=~"5.."'),
  groupBy: z.array(z.string()).describe("Labels, one each or several between commas"),
  top: z.coerce.number(TOP).int(TOP).min(1, TOP).max(100, TOP).default(10),
  step: z.string().optional().describe("Seconds, or as 5m"),
  compare: textUpTo(MAX_TEXT).describe("1 for the time before as well"),
  ...SCOPE_QUERY,
});

const MetricJson = z.object({
  name: z.string(),
  kind: z.enum(METRIC_KINDS),
  unit: z.string(),
  description: z.string(),
  series: z.int(),
  services: z.array(z.string()),
  interval: z.number().nullable().describe("Seconds; null while it is not known"),
  firstSeen: z.string(),
  lastSeen: z.string(),
}).meta({ title: "Metric" });

const figure = z.number().nullable();

const ResultJson = z.object({
  step: z.number().describe("Seconds"),
  times: z.array(z.number()).describe("Milliseconds"),
  series: z.array(z.object({
    query: z.string(),
    labels: z.record(z.string(), z.string()),
    isPrevious: z.boolean(),
    values: z.array(figure),
    min: figure,
    max: figure,
    avg: figure,
    last: figure,
  })),
  queries: z.array(z.object({
    id: z.string(),
    metric: z.string().optional(),
    aggregation: z.enum(AGGREGATIONS).optional(),
    kind: z.enum(METRIC_KINDS).nullable(),
    unit: z.string(),
    series: z.int(),
    groups: z.int(),
  })),
  notes: z.array(z.string()),
}).meta({ title: "Metric result" });

const PROJECT = "/projects/:organization/:project";

/** What the addresses below `/api/0` do that are about metrics, by method. */
export const metricRoutes: ApiRoutes = {
  [`${PROJECT}/metrics`]: {
    GET: onProject("project:read", {
      summary: "The metrics of a project by name",
      query: ListQuery,
      answer: z.array(MetricJson),
    }, async (ctx, { project }, { query }) => {
      const page = await listMetrics(ctx.state.services.sql, project.id, {
        search: query.query.trim(),
        kind: query.kind ?? null,
        scope: readScope(ctx.url.searchParams),
        cursor: checkedCursor(query.cursor || null),
        limit: readLimit(query.limit ?? query.per_page ?? null),
      });
      return listReply(ctx, page.rows.map(metricJson), page);
    }),
  },
  [`${PROJECT}/metrics/labels`]: {
    GET: onProject("project:read", {
      summary: "The names of the labels of a metric, in order",
      query: LabelQuery,
      answer: z.array(z.string()),
    }, (ctx, { project }, { query: { metric } }) => (
      labelKeys(ctx.state.services.sql, project.id, metric)
    )),
  },
  [`${PROJECT}/metrics/labels/:key/values`]: {
    GET: onProject("project:read", {
      summary:
        "Up to 50 values of a label of a metric that begin with `prefix`, those of the most series first",
      query: LabelValueQuery,
      answer: z.array(z.string()),
    }, (ctx, { project }, { query: { metric, prefix } }) => {
      const key = labelOf(ctx.params.key ?? "");
      return labelValues(ctx.state.services.sql, project.id, metric, key, prefix);
    }),
  },
  [`${PROJECT}/metrics/query`]: {
    GET: onProject("project:read", {
      summary: "The answer to one query",
      query: OneQuery,
      answer: ResultJson,
    }, (ctx, access, { query: { groupBy, compare, step, ...query } }) => {
      const asked = {
        queries: [{ ...query, id: "a", groupBy: readLabels(groupBy) }],
        formulas: [],
        compare: compare === "1",
      };
      return answerTo(ctx, access, ctx.url.searchParams, asked, step ?? null);
    }),
    // It changes nothing: questions may be too long for an address.
    POST: onProject("project:read", {
      summary: "The answers to several queries and formulas",
      body: QUERY_BODY,
      answer: ResultJson,
    }, (ctx, access, { body }) => {
      const params = new URLSearchParams();
      for (const name of ["statsPeriod", "start", "end"] as const) {
        const text = body[name];
        if (text !== undefined) params.set(name, text);
      }
      for (const name of ["environment", "release", "service"] as const) {
        for (const value of body[name] ?? []) params.append(name, value);
      }
      const step = body.step === undefined ? null : String(body.step);
      return answerTo(ctx, access, params, body, step);
    }),
  },
};

type Asked = Pick<QueryBody, "queries" | "formulas" | "compare">;

async function answerTo(
  ctx: ApiContext,
  { project }: ProjectAccess,
  params: URLSearchParams,
  { queries, formulas, compare }: Asked,
  step: string | null,
) {
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
  return resultJson(result.request.queries, result.answer);
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
  const found = meantMetric(await findMetrics(sql, projectId, metric), { kind, unit });
  return AGGREGATIONS_OF[found?.kind ?? kind ?? "gauge"][0] ?? "avg";
}

/** One each, or several between commas. */
function readLabels(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(","))
    .map((label) => label.trim())
    .filter((label) => label !== "");
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

/** Else a script that goes on with a damaged cursor would read the first page for ever. */
function checkedCursor(cursor: string | null): string | null {
  if (cursor === null || readMetricCursor(cursor) !== null) return cursor;
  throw ApiError.detail(400, "Invalid cursor: take it from a Link header");
}

function metricJson(metric: ListedMetric) {
  return {
    name: metric.name,
    kind: metric.kind,
    unit: metric.unit,
    description: metric.description,
    series: metric.seriesCount,
    services: metric.services,
    /** Seconds; null while it is not known. */
    interval: metric.usualIntervalMs > 0 ? Math.round(metric.usualIntervalMs) / 1_000 : null,
    firstSeen: metric.firstSeen,
    lastSeen: metric.seenOn,
  };
}

/** Labels may have any characters, so addresses have them percent-encoded. */
function labelOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const DEFAULT_PERIOD = "1h";
const PERIOD_PARAMETERS = ["statsPeriod", "start", "end"];
/** How far ahead points may be. */
const AHEAD_MS = HOUR_MS;
const UNIT_MS: Readonly<Record<string, number>> = {
  "": SECOND_MS,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/** `environment`, `release` and `service`, each any number of times. */
function readScope(search: URLSearchParams): MetricScope {
  const valuesOf = (name: string) => search.getAll(name).filter((value) => value !== "");
  return {
    environments: valuesOf("environment"),
    releases: valuesOf("release"),
    services: valuesOf("service"),
  };
}

/**
 * `statsPeriod`, or `start` and `end`; without those the last hour.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
function readPeriod(
  search: URLSearchParams,
  { state }: Pick<ApiContext, "state">,
  now: Date = new Date(),
): Interval {
  const hasPeriod = PERIOD_PARAMETERS.some((name) => search.get(name));
  const asked = hasPeriod ? search : new URLSearchParams({ statsPeriod: DEFAULT_PERIOD });
  const { start, end } = readInterval(asked, state.services.config.retentionDays, now);
  const last = new Date(now.getTime() + AHEAD_MS);
  // The whole retention ends a moment ahead, which would make one more step with nothing in it.
  const latest = asked.get("end") ? last : now;
  if (start >= latest) throw ApiError.detail(400, "start must not be in the future");
  return { start, end: end < latest ? end : latest };
}

/** `60`, `60s`, `5m`, `1h` or `1d`; null when it is missing. @throws {ApiError} 400 for anything else */
function readStep(text: string | null): number | null {
  if (!text) return null;
  const [, count, unit = ""] = /^(\d{1,7})([smhd]?)$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? NaN);
  if (ms > 0) return ms;
  throw ApiError.detail(400, "Invalid step: write seconds, or 5m, 1h or 1d");
}

/** Turns the sentence of a question without an answer into a refusal with 400. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidQuery) throw ApiError.detail(400, error.message);
    throw error;
  }
}
