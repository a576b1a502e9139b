import type { ProjectAccess } from "../accounts/authorize.ts";
import { readLimit, rounded, sortedPage, type SortFields, textUpTo } from "../api/lists.ts";
import { answersJson } from "./endpoints/load_endpoints.ts";
import { type ApiContext, ApiError, inSearchTime, listReply } from "../api/route.ts";
import { readApiScope, selectionOf } from "../releases/request_scope.ts";
import { readStats } from "../store/stats/read_stats.ts";
import type { Stats } from "../store/stats/stats.ts";
import { minutesOf } from "../store/stats/steps.ts";
import { type EndpointRow, endpointRows, hasText } from "./endpoints/load_endpoints.ts";
import type { TraceQuery } from "./list/find_latest.ts";
import { readTraceCursor } from "./list/latest_entry.ts";
import { listTraces, type TraceRow } from "./list/trace_list.ts";
import { parseTraceSearch } from "./list/trace_search.ts";
import { rowsOf, type TransactionRow } from "./transactions/load_transactions.ts";
import { loadsOf, readPages } from "./vitals/load_vitals.ts";
import { pageScore, ratingOf, type Vital, VITALS } from "./vitals/vital_scores.ts";

/** Parameters that have been checked. */
interface Asked<Name extends string> {
  readonly query: Readonly<Record<Name, string>>;
}

type TransactionJson = ReturnType<typeof transactionJson>;

const TRANSACTION_SORTS: SortFields<TransactionJson> = {
  name: ({ name }) => name,
  count: ({ count }) => count,
  tpm: ({ tpm }) => tpm,
  p50: ({ p50 }) => p50,
  p75: ({ p75 }) => p75,
  p95: ({ p95 }) => p95,
  p99: ({ p99 }) => p99,
  failureRate: ({ failureRate }) => failureRate,
  users: ({ users }) => users,
  totalTime: ({ totalTime }) => totalTime,
};

/** The transactions of a project by name and operation; `query` is part of the name, `op` the whole operation. */
export async function transactionListReply(
  ctx: ApiContext,
  access: ProjectAccess,
  { query: { query, op } }: Asked<"query" | "op">,
): Promise<Response> {
  const pageScope = readApiScope(ctx, access);
  const { searchParams } = ctx.url;
  const groups = await readStats(
    ctx.state.services.sql,
    selectionOf(pageScope, "transaction", query === "" ? {} : { nameLike: query }),
    ["name", "op"],
  );
  const wanted = op === "" ? groups : groups.filter((group) => group.op === op);
  const rows = rowsOf(wanted, groups, pageScope).map(transactionJson);
  const page = sortedPage(rows, searchParams, TRANSACTION_SORTS, "-totalTime");
  return listReply(ctx, page.rows, page);
}

function transactionJson(row: TransactionRow) {
  return {
    name: row.name,
    op: row.op,
    count: row.count,
    tpm: row.perMinute,
    p50: rounded(row.p50),
    p75: rounded(row.p75),
    p95: rounded(row.p95),
    p99: rounded(row.p99),
    failureRate: row.failureRate,
    users: row.users,
    totalTime: rounded(row.totalMs),
    share: row.share,
  };
}

type EndpointJson = ReturnType<typeof endpointJson>;

const ENDPOINT_SORTS: SortFields<EndpointJson> = {
  endpoint: ({ endpoint }) => endpoint,
  requests: ({ requests }) => requests,
  rpm: ({ rpm }) => rpm,
  errorRate: ({ errorRate }) => errorRate,
  p50: ({ p50 }) => p50,
  p95: ({ p95 }) => p95,
  p99: ({ p99 }) => p99,
  apdex: ({ apdex }) => apdex,
  lastSeen: ({ lastSeen }) => lastSeen?.getTime() ?? null,
};

/**
 * The HTTP endpoints of a project, whichever protocol tells of them; `query` is part of method and route, `method` the
 * whole method.
 */
export async function endpointListReply(
  ctx: ApiContext,
  access: ProjectAccess,
  { query: { query, method } }: Asked<"query" | "method">,
): Promise<Response> {
  const pageScope = readApiScope(ctx, access);
  const { searchParams } = ctx.url;
  const wanted = method.toUpperCase();
  const parts = await readStats(
    ctx.state.services.sql,
    selectionOf(pageScope, "transaction"),
    ["httpMethod", "route", "service", "protocol"],
  );
  const rows = endpointRows(parts, minutesOf(pageScope.interval, pageScope.now), pageScope.apdexMs)
    .filter((row) => wanted === "" || row.method === wanted)
    .filter((row) => row.routes.some((route) => hasText(`${row.method} ${route}`, query)))
    .map(endpointJson);
  const page = sortedPage(rows, searchParams, ENDPOINT_SORTS, "-requests");
  return listReply(ctx, page.rows, page);
}

function endpointJson(row: EndpointRow) {
  return {
    endpoint: row.key,
    method: row.method,
    route: row.route,
    routes: row.routes,
    services: row.services,
    protocols: row.protocols,
    requests: Math.round(row.requests),
    rpm: row.perMinute,
    statuses: answersJson(row.answers),
    errorRate: row.failureRate,
    p50: rounded(row.p50),
    p95: rounded(row.p95),
    p99: rounded(row.p99),
    apdex: rounded(row.apdex),
    lastSeen: row.lastSeen,
  };
}

/** What `traceListReply()` searches for. */
export const TRACE_QUERY = textUpTo(1_000);

/** The traces of a project, newest first, that match `query` as the page of traces understands it. */
export async function traceListReply(
  ctx: ApiContext,
  access: ProjectAccess,
  { query: { query } }: Asked<"query">,
): Promise<Response> {
  const asked = readQuery(ctx, access, query);
  const page = await inSearchTime(listTraces(ctx.state.services.sql, asked));
  return listReply(ctx, page.rows.map(traceJson), page);
}

function readQuery(ctx: ApiContext, access: ProjectAccess, query: string): TraceQuery {
  const { project, scope, interval } = readApiScope(ctx, access);
  const { environments, releases, services } = scope;
  const { searchParams } = ctx.url;
  return {
    projectId: project.id,
    ...interval,
    environments,
    releases,
    services,
    ...readSearch(query),
    cursor: checkedCursor(searchParams.get("cursor") || null),
    limit: readLimit(searchParams.get("limit") ?? searchParams.get("per_page")),
  };
}

function readSearch(query: string): Pick<TraceQuery, "words" | "terms"> {
  const { words, terms, problems: [problem], traceId } = parseTraceSearch(query);
  if (problem !== undefined) {
    throw ApiError.detail(400, `Error parsing search query: "${problem.part}": ${problem.reason}`);
  }
  if (traceId !== null) {
    throw ApiError.detail(400, `One trace has its own address: …/traces/${traceId}/`);
  }
  return { words, terms };
}

/** Else a script that goes on with a damaged cursor would read the first page for ever. */
function checkedCursor(cursor: string | null): string | null {
  if (cursor === null || readTraceCursor(cursor) !== null) return cursor;
  throw ApiError.detail(400, "Invalid cursor: take it from a Link header");
}

function traceJson({ traceId, startedAt, durationMs, ...trace }: TraceRow) {
  return { id: traceId, start: startedAt, duration: rounded(durationMs), ...trace };
}

type PageJson = ReturnType<typeof pageJson>;

const PAGE_SORTS: SortFields<PageJson> = {
  page: ({ page }) => page,
  loads: ({ loads }) => loads,
  score: ({ score }) => score,
  ...Object.fromEntries(
    VITALS.map(({ name }) => [name, ({ vitals }: PageJson) => vitals[name]?.p75 ?? null]),
  ),
};

/** The pages of a site with their web vitals; `query` is part of the page's name. */
export async function vitalListReply(
  ctx: ApiContext,
  access: ProjectAccess,
  { query: { query } }: Asked<"query">,
): Promise<Response> {
  const pageScope = readApiScope(ctx, access);
  const { searchParams } = ctx.url;
  const { pages } = await readPages(ctx.state.services.sql, pageScope, query);
  const rows = [...pages].map(([page, vitals]) => pageJson(page, vitals));
  const page = sortedPage(rows, searchParams, PAGE_SORTS, "-loads");
  return listReply(ctx, page.rows, page);
}

type StatsByVital = ReadonlyMap<string, Stats>;

function pageJson(page: string, stats: StatsByVital) {
  return {
    page,
    loads: loadsOf(stats),
    score: rounded(pageScore(stats)),
    vitals: Object.fromEntries(VITALS.map((vital) => {
      const found = stats.get(vital.name);
      return [vital.name, found === undefined ? null : vitalJson(vital, found)];
    })),
  };
}

function vitalJson(vital: Vital, { sketch, weight }: Stats) {
  const p75 = sketch.quantile(0.75);
  return { p75: rounded(p75), count: Math.round(weight), rating: ratingOf(vital, p75) };
}
