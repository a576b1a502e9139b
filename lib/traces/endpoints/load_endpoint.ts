import { endpointKey } from "../../formats/spans/entry_keys.ts";
import type { Sql } from "../../store/database.ts";
import {
  countStatusCodes,
  type EndpointCallers,
  endpointCallers,
  type EndpointSelection,
  listEndpointSamples,
  type StatusCount,
} from "./endpoint_samples.ts";
import { type Grouped, readStats } from "../../store/stats/read_stats.ts";
import { routesOf } from "../../store/stats/series_names.ts";
import type { Stats } from "../../store/stats/stats.ts";
import type { TransactionSample } from "../transactions/transaction_samples.tsx";
import {
  type Course,
  type PageScope,
  readCourse,
  selectionOf,
} from "../../releases/request_scope.ts";
import { byWeight } from "./load_endpoints.ts";

/** The endpoint that a page is about. */
export interface EndpointParams {
  /** See `endpointKey()`. */
  readonly key: string;
  readonly method: string;
}

export interface EndpointDetail extends Course {
  readonly params: EndpointParams;
  /** Templates as frameworks write them, most requests first. */
  readonly routes: readonly string[];
  readonly services: readonly string[];
  readonly protocols: readonly string[];
  /** Names of transactions behind it, most requests first. */
  readonly transactions: readonly Grouped<"name">[];
  /** Most requests first. */
  readonly byRelease: readonly Grouped<"release">[];
  readonly callers: EndpointCallers;
  readonly statuses: readonly StatusCount[];
  readonly slowest: readonly TransactionSample[];
  /** The newest ones. */
  readonly failed: readonly TransactionSample[];
}

const MAX_TEXT = 1_000;
const SAMPLES = 10;
/** Names that single requests are looked for by. */
const MAX_NAMES = 50;
const NO_CALLERS: EndpointCallers = { sampled: 0, roots: 0, unknown: 0, callers: [] };

/** Reads `endpoint`, a method and a route in any spelling; null when it names none. */
export function readEndpointParams(search: URLSearchParams): EndpointParams | null {
  const text = (search.get("endpoint") ?? "").trim().slice(0, MAX_TEXT);
  const [method = ""] = text.split(" ", 1);
  const key = endpointKey(method, text.slice(method.length).trim());
  return key === "" ? null : { key, method: method.toUpperCase() };
}

/** Reads all that the page of one endpoint shows. */
export async function loadEndpointDetail(
  sql: Sql,
  pageScope: PageScope,
  params: EndpointParams,
): Promise<EndpointDetail> {
  const { interval, project, scope } = pageScope;
  const where = {
    httpMethod: params.method,
    route: await spellingsOf(sql, project.id, params),
  };
  const selection = selectionOf(pageScope, "transaction", { where });
  const [course, transactions, senders, byRelease] = await Promise.all([
    readCourse(sql, pageScope, selection),
    readStats(sql, selection, ["name"]),
    readStats(sql, selection, ["route", "service", "protocol"], ["sketch", "users"]),
    readStats(sql, selection, ["release"]),
  ]);
  const routes = byWeight(senders, ({ route }) => route);
  const names = transactions.toSorted((a, b) => b.weight - a.weight);
  const samples = await loadSamples(sql, {
    projectId: project.id,
    ...scope,
    ...interval,
    httpMethod: params.method,
    routes,
    names: names.slice(0, MAX_NAMES).map(({ name }) => name),
  }, course.total);
  return {
    params,
    routes,
    services: byWeight(senders, ({ service }) => service).filter((service) => service !== ""),
    protocols: byWeight(senders, ({ protocol }) => protocol),
    ...course,
    transactions: names,
    byRelease: byRelease.toSorted((a, b) => b.weight - a.weight),
    ...samples,
  };
}

/** All spellings of the endpoint's route, whenever they occurred. */
async function spellingsOf(
  sql: Sql,
  projectId: string,
  { key, method }: EndpointParams,
): Promise<string[]> {
  const routes = await routesOf(sql, projectId, method);
  return routes.filter((route) => endpointKey(method, route) === key);
}

async function loadSamples(
  sql: Sql,
  selection: EndpointSelection,
  { count, failures }: Pick<Stats, "count" | "failures">,
) {
  if (selection.names.length === 0) {
    return { callers: NO_CALLERS, statuses: [], slowest: [], failed: [] };
  }
  const [callers, statuses, slowest, failed] = await Promise.all([
    endpointCallers(sql, selection),
    countStatusCodes(sql, selection),
    // Looking for what is not there would read all rows.
    failures < count ? listEndpointSamples(sql, selection, "slowest", SAMPLES) : [],
    failures > 0 ? listEndpointSamples(sql, selection, "failed", SAMPLES) : [],
  ]);
  return { callers, statuses, slowest, failed };
}
