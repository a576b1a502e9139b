import type { Project } from "@/lib/accounts/projects.ts";
import type { Sql } from "@/lib/store/database.ts";
import { readTrace } from "@/lib/traces/read_trace.ts";
import { loadEndpointDetail, readEndpointParams } from "@/lib/traces/endpoints/load_endpoint.ts";
import { loadEndpointList } from "@/lib/traces/endpoints/load_endpoints.ts";
import { loadPerformance } from "@/lib/traces/performance/load_performance.ts";
import { loadQueryDetail, readQueryParams } from "@/lib/traces/queries/load_query.ts";
import { loadQueryList } from "@/lib/traces/queries/load_queries.ts";
import { loadTraceList, readTraceListParams } from "@/lib/traces/list/load_traces.ts";
import { loadPageScope, type PageScope } from "@/lib/releases/request_scope.ts";
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
export function pageLoads(sql: Sql, pageScope: PageScope, traceId: string): Load[] {
  const page = (name: string, run: () => Promise<unknown>): Load => ({ name, run });
  return [
    page("frame of all pages", () => loadPageScope(sql, PROJECT, NONE)),
    page("performance", () => loadPerformance(sql, pageScope)),
    page("transactions", () => loadTransactionList(sql, pageScope, NONE)),
    ...summaryLoads(sql, pageScope),
    page("endpoints", () => loadEndpointList(sql, pageScope, NONE)),
    ...endpointLoads(sql, pageScope),
    page("queries", () => loadQueryList(sql, pageScope, new URLSearchParams("category=db"))),
    ...queryLoads(sql, pageScope),
    page("web vitals", () => loadVitals(sql, pageScope, NONE)),
    ...vitalLoads(sql, pageScope),
    ...traceLoads(sql, pageScope),
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

function summaryLoads(sql: Sql, pageScope: PageScope): Load[] {
  return byPlace("summary", (place) => {
    const name = ENDPOINTS.api[place]?.name ?? "";
    const params = readSummaryParams(new URLSearchParams({ name }));
    return params === null ? undefined : () => loadSummary(sql, pageScope, params);
  });
}

function endpointLoads(sql: Sql, pageScope: PageScope): Load[] {
  return byPlace("endpoint", (place) => {
    const endpoint = ENDPOINTS.api[place]?.name ?? "";
    const params = readEndpointParams(new URLSearchParams({ endpoint }));
    return params === null ? undefined : () => loadEndpointDetail(sql, pageScope, params);
  });
}

function queryLoads(sql: Sql, pageScope: PageScope): Load[] {
  return byPlace("query", (place) => {
    const group = ENDPOINTS.api[place]?.works[0]?.group ?? "";
    const params = readQueryParams(new URLSearchParams({ category: "db", group }));
    return params === null ? undefined : () => loadQueryDetail(sql, pageScope, params);
  });
}

function vitalLoads(sql: Sql, pageScope: PageScope): Load[] {
  return byPlace("vitals of a page", (place) => {
    const name = ENDPOINTS.web[place]?.name ?? "";
    const params = readPageVitalsParams(new URLSearchParams({ name }));
    return params === null ? undefined : () => loadPageVitals(sql, pageScope, params);
  });
}

function traceLoads(sql: Sql, pageScope: PageScope): Load[] {
  const searches = {
    "newest traces": "",
    "slow traces": "duration:>3s",
    "failed traces": "status:internal_error service:api",
    "traces of a user": "user:id:77",
    "no such trace": "no-such-name",
  };
  return Object.entries(searches).map(([name, query]) => {
    const params = readTraceListParams(new URLSearchParams({ query }));
    return { name, run: () => loadTraceList(sql, pageScope, params) };
  });
}
