import type { ProjectAccess } from "../accounts/authorize.ts";
import { type CarriedBySpan, readTraceAttributes } from "./trace_attributes.ts";
import { exactNanos, msBetween } from "../records/exact_time.ts";
import type { TraceSpan } from "./trace_types.ts";
import type { ApiContext } from "../api/api.ts";
import { ApiError } from "../api/api_error.ts";
import { openTrace } from "./open_trace.ts";
import { rounded } from "../api/figures.ts";

/**
 * One trace with its spans, errors, logs and profiles, each of them with the project that it was sent to, from all
 * projects of the organization; those that the asker may not see are counted. Times are milliseconds since 1970, those as sent nanoseconds as a text. With `?attributes=1` spans
 * come with all that they carry.
 */
export async function traceReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { sql } = ctx.state.services;
  const traceId = readTraceId(ctx.params.trace ?? "");
  const isFull = readFlag(ctx.url.searchParams, "attributes");
  const opened = await openTrace(ctx.state, access, traceId);
  if (opened === null) throw traceNotFound();
  const { trace: { spans, errors, logs, profiles, isCut, hidden }, projects } = opened;
  const ids = projects.map(({ id }) => id);
  const carried = isFull ? await readTraceAttributes(sql, ids, traceId) : null;
  return Response.json({
    id: traceId,
    isCut,
    projects: projects.map(({ id, slug, name }) => ({ id, slug, name })),
    hidden,
    ...extentOf(spans),
    spans: spans.map((span) => (
      { ...spanJson(span), ...carriedJson(carried?.spans.get(span.spanId)) }
    )),
    ...carried && { resources: carried.resources, areAttributesCut: carried.isCut },
    errors,
    logs,
    profiles: profiles.map(({ durationMs, ...profile }) => (
      { ...profile, duration: rounded(durationMs) }
    )),
  });
}

/** Sentry's SDKs tell no kind of most spans: those have none here either. */
function spanJson({ start, end, kind, startNanos, endNanos, ...span }: TraceSpan) {
  return {
    ...span,
    ...kind !== "" && { kind },
    start: rounded(start),
    end: rounded(end),
    startNanos,
    endNanos,
    duration: msBetween(BigInt(startNanos), BigInt(endNanos)),
  };
}

function carriedJson(carried: CarriedBySpan | undefined) {
  return carried && {
    ...carried,
    events: carried.events.map(({ fine, ...event }) => ({
      ...event,
      time: rounded(event.time * 1_000),
      timeNanos: String(exactNanos(event.time, fine)),
    })),
  };
}

/** From the first start to the last end; a trace may consist of logs and errors alone. */
function extentOf(spans: readonly TraceSpan[]) {
  if (spans.length === 0) return { start: null, duration: null };
  const start = spans.reduce((least, span) => Math.min(least, span.start), Infinity);
  const end = spans.reduce((most, span) => Math.max(most, span.end), -Infinity);
  return { start: rounded(start), duration: rounded(end - start) };
}

function readFlag(search: URLSearchParams, name: string): boolean {
  const text = search.get(name) ?? "";
  if (["1", "true"].includes(text)) return true;
  if (["", "0", "false"].includes(text)) return false;
  throw ApiError.detail(400, `Invalid ${name}: write 1 or 0`);
}

/** 32 lower-case hex digits out of what clients write. @throws {ApiError} 404 for anything else */
function readTraceId(text: string): string {
  const id = text.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(id)) throw traceNotFound();
  return id;
}

/** Also for traces that exist where the actor may not look. */
function traceNotFound(): ApiError {
  return ApiError.detail(404, "Trace not found");
}
