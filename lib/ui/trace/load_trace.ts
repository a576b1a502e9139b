import { HttpError } from "fresh";
import type { Sql } from "../../telemetry/database.ts";
import type { Trace, TraceSpanDetail } from "../../telemetry/trace_types.ts";
import { readTrace, readTraceSpan } from "../../telemetry/traces.ts";

const NO_TRACE =
  "Nothing is stored under this trace id. It may be older than what is kept, may not " +
  "have been sampled, or may not have been sent yet: spans are sent when they end.";

const NO_TRACE_ID = "A trace id has 32 hexadecimal digits; this is none.";

/**
 * Reads a trace for a page that has something to say when there is none.
 *
 * @param traceId as the address has it: hyphens and capitals allowed
 * @returns the trace, or why there is none
 */
export async function findTrace(
  sql: Sql,
  projectId: string,
  traceId: string,
): Promise<{ readonly trace: Trace } | { readonly trace: null; readonly reason: string }> {
  const id = asId(traceId, 32);
  if (id === null) return { trace: null, reason: NO_TRACE_ID };
  const trace = await readTrace(sql, projectId, id);
  return trace === null ? { trace, reason: NO_TRACE } : { trace };
}

/**
 * Reads a trace.
 *
 * @param traceId as the address has it: hyphens and capitals allowed
 * @throws {HttpError} 404 when it is no trace id, or nothing is stored under it
 */
export async function requireTrace(sql: Sql, projectId: string, traceId: string): Promise<Trace> {
  const found = await findTrace(sql, projectId, traceId);
  if (found.trace === null) throw new HttpError(404, found.reason);
  return found.trace;
}

/** Reads one span of a trace with all its attributes; null when either is no id or nothing is stored. */
export async function findTraceSpan(
  sql: Sql,
  projectId: string,
  traceId: string,
  spanId: string,
): Promise<TraceSpanDetail | null> {
  const trace = asId(traceId, 32);
  const span = asId(spanId, 16);
  return trace === null || span === null ? null : await readTraceSpan(sql, projectId, trace, span);
}

/** Lower-case hex digits of an id; null when it has not that many, or is all zeros, which stands for none. */
function asId(text: string, digits: 16 | 32): string | null {
  const id = text.replaceAll("-", "").toLowerCase();
  return id.length === digits && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id) ? id : null;
}
