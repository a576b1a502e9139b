/** Addresses of a project's traces. */

/** `/projects/7/traces/5f2a…` */
export function tracePath(projectId: string, traceId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/traces/${encodeURIComponent(traceId)}`;
}

/** The whole trace as JSON, see `model/wire.ts`. */
export function traceDataPath(projectId: string, traceId: string): string {
  return `${tracePath(projectId, traceId)}/data`;
}

/** One span with all its attributes as JSON. */
export function spanDataPath(projectId: string, traceId: string, spanId: string): string {
  return `${tracePath(projectId, traceId)}/spans/${encodeURIComponent(spanId)}`;
}

/** The page of a trace with the panel of one span open. */
export function spanHref(projectId: string, traceId: string, spanId: string): string {
  return `${tracePath(projectId, traceId)}?${new URLSearchParams({ span: spanId })}`;
}
