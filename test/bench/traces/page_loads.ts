import type { Project } from "@/lib/accounts/projects.ts";
import type { Sql } from "@/lib/store/database.ts";
import { readTrace } from "@/lib/traces/read_trace.ts";
import { loadEndpointDetail, readEndpointParams } from "@/lib/traces/endpoints/load_endpoint.ts";
import { loadEndpointList } from "@/lib/traces/endpoints/load_endpoints.ts";
import { loadPerformance } from "@/lib/traces/performance/load_performance.ts";
import { loadQueryDetail, readQueryParams } from "@/lib/traces/queries/load_query.ts";
import { loadQueryList } from "@/lib/traces/queries/load_queries.ts";
import { loadTraceList, readTraceListParams } from "@/lib/traces/list/load_traces.ts";
import { loadTracing, type Tracing } from "@/lib/releases/request_scope.ts";
import { loadTransactionList } from "@/lib/traces/transactions/load_transactions.ts";
import { loadSummary, readSummaryParams } from "@/lib/traces/transactions/load_summary.ts";
import { loadPageVitals, readPageVitalsParams } from "@/lib/traces/vitals/load_page_vitals.ts";
import { loadVitals } from "@/lib/traces/vitals/load_vitals.ts";
import { ENDPOINTS } from "./world/shop.ts";

/** Something that is timed. */
export interface Load {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

export const PROJECT: Project = {
  id: "1",
  organizationId: "1",
  slug: "shop",
  name: "Shop",
  platform: "node",
  createdAt: new Date(0),
  firstEventAt: new Date(0),
};

/** Whether names are among the most frequent or among the others. */
const PLACES = { frequent: 0, rare: 120 } as const;
const NONE = new URLSearchParams();

/** All that each page of traces asks for, as its route does. */
export function pageLoads(sql: Sql, tracing: Tracing, traceId: string): Load[] {
  const page = (name: string, run: () => Promise<unknown>): Load => ({ name, run });
  return [
    page("frame of all pages", () => loadTracing(sql, PROJECT, NONE)),
    page("performance", () => loadPerformance(sql, tracing)),
    page("transactions", () => loadTransactionList(sql, tracing, NONE)),
    ...summaryLoads(sql, tracing),
    page("endpoints", () => loadEndpointList(sql, tracing, NONE)),
    ...endpointLoads(sql, tracing),
    page("queries", () => loadQueryList(sql, tracing, new URLSearchParams("category=db"))),
    ...queryLoads(sql, tracing),
    page("web vitals", () => loadVitals(sql, tracing, NONE)),
    ...vitalLoads(sql, tracing),
    ...traceLoads(sql, tracing),
    page("trace", () => readTrace(sql, PROJECT.id, traceId)),
  ];
}

function byPlace(
  name: string,
  of: (place: number) => (() => Promise<unknown>) | undefined,
): Load[] {
  return Object.entries(PLACES).map(([word, place]) => {
    const run = of(place);
    if (run === undefined) throw new Error(`Cannot time ${name}: there is nothing of this name`);
    return { name: `${name}, ${word}`, run };
  });
}

function summaryLoads(sql: Sql, tracing: Tracing): Load[] {
  return byPlace("summary", (place) => {
    const name = ENDPOINTS.api[place]?.name ?? "";
    const params = readSummaryParams(new URLSearchParams({ name }));
    return params === null ? undefined : () => loadSummary(sql, tracing, params);
  });
}

function endpointLoads(sql: Sql, tracing: Tracing): Load[] {
  return byPlace("endpoint", (place) => {
    const endpoint = ENDPOINTS.api[place]?.name ?? "";
    const params = readEndpointParams(new URLSearchParams({ endpoint }));
    return params === null ? undefined : () => loadEndpointDetail(sql, tracing, params);
  });
}

function queryLoads(sql: Sql, tracing: Tracing): Load[] {
  return byPlace("query", (place) => {
    const group = ENDPOINTS.api[place]?.works[0]?.group ?? "";
    const params = readQueryParams(new URLSearchParams({ category: "db", group }));
    return params === null ? undefined : () => loadQueryDetail(sql, tracing, params);
  });
}

function vitalLoads(sql: Sql, tracing: Tracing): Load[] {
  return byPlace("vitals of a page", (place) => {
    const name = ENDPOINTS.web[place]?.name ?? "";
    const params = readPageVitalsParams(new URLSearchParams({ name }));
    return params === null ? undefined : () => loadPageVitals(sql, tracing, params);
  });
}

function traceLoads(sql: Sql, tracing: Tracing): Load[] {
  const searches = {
    "newest traces": "",
    "slow traces": "duration:>3s",
    "failed traces": "status:internal_error service:api",
    "traces of a user": "user:id:77",
    "no such trace": "no-such-name",
  };
  return Object.entries(searches).map(([name, query]) => {
    const params = readTraceListParams(new URLSearchParams({ query }));
    return { name, run: () => loadTraceList(sql, tracing, params) };
  });
}
