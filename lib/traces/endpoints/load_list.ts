import type { Sql } from "../../store/database.ts";
import { MAX_GROUPS, readStats } from "../../store/stats/read_stats.ts";
import { type Sampled, sampledOf } from "../../store/stats/extrapolate.ts";
import { selectionOf, type Tracing } from "../../releases/load_tracing.ts";
import {
  type ListPage,
  pageOf,
  readSorting,
  type SortColumn,
  sorted,
  type Sorting,
} from "../../ui/sorting.ts";
import { minutesOf } from "../../store/stats/steps.ts";
import { type EndpointRow, endpointRows } from "./endpoint_rows.ts";
import { hasText } from "./text_match.ts";

export interface EndpointList {
  readonly list: ListPage<EndpointRow>;
  readonly sorting: Sorting;
  readonly query: string;
  /** Chosen, or `""` for all. */
  readonly method: string;
  /** Methods to choose from. */
  readonly methods: readonly string[];
  /** There are more than are read. */
  readonly isCut: boolean;
  /** Of all that match, on whichever page. */
  readonly sampled: Sampled;
}

export const ENDPOINT_COLUMNS: readonly SortColumn<EndpointRow>[] = [
  { key: "endpoint", label: "Endpoint", value: ({ route, method }) => `${route} ${method}` },
  { key: "requests", label: "Requests", value: (row) => row.requests },
  { key: "rpm", label: "Rate", value: (row) => row.perMinute, class: "max-lg:hidden" },
  { key: "errors", label: "Errors", value: (row) => row.failureRate },
  { key: "p50", label: "p50", value: ({ p50 }) => p50, class: "max-lg:hidden" },
  { key: "p95", label: "p95", value: ({ p95 }) => p95 },
  { key: "p99", label: "p99", value: ({ p99 }) => p99, class: "max-lg:hidden" },
  { key: "apdex", label: "Apdex", value: (row) => row.apdex, class: "max-lg:hidden" },
  {
    key: "seen",
    label: "Last seen",
    value: (row) => row.lastSeen?.getTime() ?? null,
    class: "max-xl:hidden",
  },
];

const MAX_TEXT = 200;

/** Reads the list of HTTP endpoints. */
export async function loadEndpointList(
  sql: Sql,
  tracing: Tracing,
  search: URLSearchParams,
): Promise<EndpointList> {
  const query = (search.get("query") ?? "").trim().slice(0, MAX_TEXT);
  const method = (search.get("method") ?? "").slice(0, MAX_TEXT).toUpperCase();
  const parts = await readStats(
    sql,
    selectionOf(tracing, "transaction"),
    ["httpMethod", "route", "service", "protocol"],
    ["users"],
  );
  const minutes = minutesOf(tracing.interval, tracing.now);
  const all = endpointRows(parts, minutes, tracing.apdexMs);
  const found = all.filter((row) =>
    (method === "" || row.method === method) &&
    (query === "" || row.routes.some((route) => hasText(`${row.method} ${route}`, query)))
  );
  const sorting = readSorting(search.get("sort"), ENDPOINT_COLUMNS, {
    key: "requests",
    isDescending: true,
  });
  return {
    list: pageOf(sorted(found, ENDPOINT_COLUMNS, sorting), search.get("page")),
    sorting,
    query,
    method,
    methods: [...new Set(all.map((row) => row.method))].sort(),
    isCut: parts.length === MAX_GROUPS,
    sampled: sampledOf(found.map(({ stored, requests }) => ({ count: stored, weight: requests }))),
  };
}
