import { type CursorPage, nullIfSlow } from "../../store/query_limits.ts";
import type { Sql } from "../../store/database.ts";
import { readStatsOverTime } from "../../store/stats/read_stats.ts";
import { traceKeys } from "./tag_sources.ts";
import { listTraces, type TraceRow } from "./trace_list.ts";
import type { TraceSelection } from "./trace_terms.ts";
import { unknownKeyReason } from "../../ui/near_keys.ts";
import { type PageScope, selectionOf } from "../../releases/request_scope.ts";
import { PAGE_SIZE } from "../../ui/sorted_list.tsx";
import { alongInterval, stepOf, type Steps } from "../../store/stats/steps.ts";
import type { SearchProblem } from "../../ui/search_grammar.ts";
import { parseTraceSearch, type TraceSearch } from "./trace_search.ts";

/** What the list of traces is asked for beside its scope. */
export interface TraceListParams {
  /** As typed. */
  readonly query: string;
  readonly search: TraceSearch;
  readonly cursor: string | null;
}

export interface TraceList {
  readonly params: TraceListParams;
  /** Null when the search took too long. */
  readonly traces: CursorPage<TraceRow> | null;
  /** What of the search is not understood, or asks for what nothing has. */
  readonly problems: readonly SearchProblem[];
  /** Entries along the time, whatever is searched for. */
  readonly steps: Steps;
}

const MAX_QUERY_LENGTH = 1_000;

/** Reads the parameters of the page. */
export function readTraceListParams(search: URLSearchParams): TraceListParams {
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY_LENGTH);
  return { query, search: parseTraceSearch(query), cursor: search.get("cursor") || null };
}

/** Reads one page of traces, and how many there were along the time. */
export async function loadTraceList(
  sql: Sql,
  pageScope: PageScope,
  params: TraceListParams,
): Promise<TraceList> {
  const { project, scope, interval, now } = pageScope;
  const { environments, releases, services } = scope;
  const { words, terms } = params.search;
  const stepMs = stepOf(interval, now);
  const query = {
    projectId: project.id,
    ...interval,
    environments,
    releases,
    services,
    words,
    terms,
    cursor: params.cursor,
    limit: PAGE_SIZE,
  };
  const [traces, points] = await Promise.all([
    nullIfSlow(listTraces(sql, query)),
    readStatsOverTime(sql, selectionOf(pageScope, "total"), stepMs),
  ]);
  const unknown = traces?.rows.length === 0 ? await unknownKeys(sql, query) : [];
  return {
    params,
    traces,
    problems: [...params.search.problems, ...unknown],
    steps: alongInterval(points, interval, stepMs, now),
  };
}

/** Why nothing was found: keys that none of the newest traces has. */
async function unknownKeys(sql: Sql, selection: TraceSelection): Promise<SearchProblem[]> {
  const asked = selection.terms.flatMap((term) => term.kind === "tag" ? [term.key] : []);
  if (asked.length === 0) return [];
  const keys = await traceKeys(sql, selection);
  if (keys.length === 0) return [];
  return [...new Set(asked)].filter((key) => !keys.includes(key))
    .map((key) => ({ part: key, reason: unknownKeyReason(key, keys, "trace") }));
}
