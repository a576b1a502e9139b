import type { ProjectAccess } from "../accounts/authorize.ts";
import { readStats } from "../store/stats/read_stats.ts";
import { type EndpointRow, endpointRows } from "./endpoints/endpoint_rows.ts";
import { hasText } from "./endpoints/text_match.ts";
import { selectionOf } from "../releases/load_tracing.ts";
import { minutesOf } from "../store/stats/steps.ts";
import type { ApiContext } from "../api/api.ts";
import { listReply } from "../api/api_page.ts";
import { answersJson, rounded } from "../api/figures.ts";
import { readText, readTracing } from "../releases/read_tracing.ts";
import { sortedPage, type SortFields } from "../api/sorted_page.ts";

type EndpointJson = ReturnType<typeof endpointJson>;

const SORTS: SortFields<EndpointJson> = {
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
export async function endpointListReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const tracing = readTracing(ctx, access);
  const { searchParams } = ctx.url;
  const query = readText(searchParams, "query");
  const method = readText(searchParams, "method").toUpperCase();
  const parts = await readStats(
    ctx.state.services.sql,
    selectionOf(tracing, "transaction"),
    ["httpMethod", "route", "service", "protocol"],
  );
  const rows = endpointRows(parts, minutesOf(tracing.interval, tracing.now), tracing.apdexMs)
    .filter((row) => method === "" || row.method === method)
    .filter((row) => row.routes.some((route) => hasText(`${row.method} ${route}`, query)))
    .map(endpointJson);
  const page = sortedPage(rows, searchParams, SORTS, "-requests");
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
