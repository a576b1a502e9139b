import { HttpError } from "fresh";
import type { ProjectAccess } from "../accounts/authorize.ts";
import type { Sql } from "../store/database.ts";
import type { TraceSpanDetail } from "./trace_types.ts";
import { readTraceSpan } from "./traces.ts";
import { type OpenTrace, openTrace } from "./open_trace.ts";
import type { WaterfallData } from "./waterfall_data.ts";

type Asking = Parameters<typeof openTrace>[0];

const NO_TRACE =
  "Nothing is stored under this trace id. It may be older than what is kept, may not " +
  "have been sampled, or may not have been sent yet: spans are sent when they end.";

const NO_TRACE_ID = "A trace id has 32 hexadecimal digits; this is none.";

/**
 * Reads a trace of the organization for a page that has something to say when there is none.
 *
 * @param traceId as the address has it: hyphens and capitals allowed
 * @returns the trace, or why there is none
 */
export async function findTrace(
  asking: Asking,
  access: ProjectAccess,
  traceId: string,
): Promise<OpenTrace | { readonly trace: null; readonly reason: string }> {
  const id = asId(traceId, 32);
  if (id === null) return { trace: null, reason: NO_TRACE_ID };
  return await openTrace(asking, access, id) ?? { trace: null, reason: NO_TRACE };
}

/**
 * Reads a trace of the organization.
 *
 * @param traceId as the address has it: hyphens and capitals allowed
 * @throws {HttpError} 404 when it is no trace id, or nothing is stored under it
 */
export async function requireTrace(
  asking: Asking,
  access: ProjectAccess,
  traceId: string,
): Promise<OpenTrace> {
  const found = await findTrace(asking, access, traceId);
  if (found.trace === null) throw new HttpError(404, found.reason);
  return found;
}

/** What the waterfall is drawn from. */
export function waterfallData({ trace, projects }: OpenTrace): WaterfallData {
  return {
    ...trace,
    projects: projects.map(({ id, name }) => ({ id, name })),
    hiddenSpans: trace.hidden.spans,
  };
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
