import type { ProjectAccess } from "../accounts/authorize.ts";
import { isIsoTime, readCursor } from "../store/cursor.ts";
import { QueryTooSlow } from "../store/statement_timeout.ts";
import { listTraces, type TraceQuery, type TraceRow } from "./list/trace_list.ts";
import { parseTraceSearch } from "./list/trace_search.ts";
import type { ApiContext } from "../api/api.ts";
import { ApiError } from "../api/api_error.ts";
import { readLimit } from "../api/issue_query.ts";
import { listReply } from "../api/api_page.ts";
import { rounded } from "../api/figures.ts";
import { readTracing } from "../releases/read_tracing.ts";

const MAX_QUERY = 1_000;

/** The traces of a project, newest first, that match `query` as the page of traces understands it. */
export async function traceListReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const page = await inTime(listTraces(ctx.state.services.sql, readQuery(ctx, access)));
  return listReply(ctx, page.rows.map(traceJson), page);
}

function readQuery(ctx: ApiContext, access: ProjectAccess): TraceQuery {
  const { project, scope, interval } = readTracing(ctx, access);
  const { environments, releases, services } = scope;
  const { searchParams } = ctx.url;
  return {
    projectId: project.id,
    ...interval,
    environments,
    releases,
    services,
    ...readSearch(searchParams.get("query") ?? ""),
    cursor: checkedCursor(searchParams.get("cursor") || null),
    limit: readLimit(searchParams.get("limit") ?? searchParams.get("per_page")),
  };
}

function readSearch(query: string): Pick<TraceQuery, "words" | "terms"> {
  if (query.length > MAX_QUERY) {
    throw ApiError.detail(400, `Invalid query: write at most ${MAX_QUERY} characters`);
  }
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
  const isTrace = (value: string, id: string) => isIsoTime(value) && /^[0-9a-f]{32}$/.test(id);
  if (cursor === null || readCursor(cursor, isTrace) !== null) return cursor;
  throw ApiError.detail(400, "Invalid cursor: take it from a Link header");
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QueryTooSlow)) throw error;
    throw ApiError.detail(
      400,
      "The search took too long: choose a shorter time, or search for less",
    );
  }
}

function traceJson({ traceId, startedAt, durationMs, ...trace }: TraceRow) {
  return { id: traceId, start: startedAt, duration: rounded(durationMs), ...trace };
}
