/** What the waterfall's script reads from the server. */
import type { TraceSpanDetail } from "../trace_types.ts";
import { type TraceModel, traceModel } from "./trace_model.ts";
import { type CompactTrace, unpackTrace } from "./compact_trace.ts";
import { spanDataPath, traceDataPath } from "../../ui/trace_paths.ts";

/**
 * Makes the model of a trace from what came with the page, or else from the server.
 *
 * @param packed the packed trace as JSON, or null
 * @throws {Error} when the server does not answer with a trace
 */
export async function loadModel(
  projectId: string,
  traceId: string,
  packed: string | null,
): Promise<TraceModel> {
  const trace = packed === null
    ? await readJson(traceDataPath(projectId, traceId))
    : JSON.parse(packed);
  return traceModel(unpackTrace(trace as CompactTrace));
}

/** @throws {Error} when the server does not answer with a span */
export async function loadSpan(
  projectId: string,
  traceId: string,
  spanId: string,
): Promise<TraceSpanDetail> {
  return await readJson(spanDataPath(projectId, traceId, spanId)) as TraceSpanDetail;
}

async function readJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  // Somebody whose session has ended is sent to the sign-in page, which is no JSON.
  if (!response.ok || response.redirected) throw new Error(`Cannot read ${path}`);
  return await response.json();
}
