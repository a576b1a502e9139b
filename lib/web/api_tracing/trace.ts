import type { ProjectAccess } from "../../control/authorize.ts";
import { type CarriedBySpan, readTraceAttributes } from "../../telemetry/trace_attributes.ts";
import type { TraceSpan } from "../../telemetry/trace_types.ts";
import { readTrace } from "../../telemetry/traces.ts";
import type { ApiContext } from "../api.ts";
import { ApiError } from "../api_error.ts";
import { rounded } from "./figures.ts";

/**
 * One trace with its spans, errors, logs and profiles; times are milliseconds since 1970. With `?attributes=1` spans
 * come with all that they carry.
 */
export async function traceReply(ctx: ApiContext, { project }: ProjectAccess): Promise<Response> {
  const { sql } = ctx.state.services;
  const traceId = readTraceId(ctx.params.trace ?? "");
  const isFull = readFlag(ctx.url.searchParams, "attributes");
  const trace = await readTrace(sql, project.id, traceId);
  if (trace === null) throw traceNotFound();
  const { spans, errors, logs, profiles, isCut } = trace;
  const carried = isFull ? await readTraceAttributes(sql, project.id, traceId) : null;
  return Response.json({
    id: traceId,
    isCut,
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

function spanJson({ start, end, ...span }: TraceSpan) {
  return {
    ...span,
    start: rounded(start),
    end: rounded(end),
    duration: rounded(end - start),
  };
}

function carriedJson(carried: CarriedBySpan | undefined) {
  return carried && {
    ...carried,
    events: carried.events.map((event) => ({ ...event, time: rounded(event.time * 1_000) })),
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
