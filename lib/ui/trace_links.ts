import { sectionPath } from "./links.ts";
import { EVERYTHING, type Scope, scopedHref } from "./scope.ts";

/** The page of all transactions of one name. */
export function transactionHref(
  projectId: string,
  scope: Scope,
  name: string,
  extra: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const path = `${sectionPath(projectId, "transactions")}/summary`;
  return scopedHref(path, scope, { name, ...extra });
}

/**
 * The page of a trace, with one of its spans opened. A trace is shown whole whatever the scope, which it carries on to
 * where its reader goes next.
 */
export function traceHref(
  projectId: string,
  traceId: string,
  spanId: string | null = null,
  scope: Scope = EVERYTHING,
): string {
  return scopedHref(`${sectionPath(projectId, "traces")}/${traceId}`, scope, { span: spanId });
}

/** `/projects/7/traces/5f2a…` */
export function tracePath(projectId: string, traceId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/traces/${encodeURIComponent(traceId)}`;
}

/** The whole trace as JSON, see `traces/waterfall/compact_trace.ts`. */
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

/** The page of one endpoint, named by its key as `GET /users/{}`. */
export function endpointHref(projectId: string, scope: Scope, endpoint: string): string {
  return scopedHref(endpointPath(projectId), scope, { endpoint });
}

/** The same without its endpoint. */
export function endpointPath(projectId: string): string {
  return `${sectionPath(projectId, "endpoints")}/detail`;
}

/** The page of one group of spans, such as a statement. */
export function queryHref(
  projectId: string,
  scope: Scope,
  { category, group }: { readonly category: string; readonly group: string },
): string {
  return scopedHref(queryPath(projectId), scope, { category, group });
}

/** The same without its group. */
export function queryPath(projectId: string): string {
  return `${sectionPath(projectId, "queries")}/detail`;
}

/** Path of the page that shows the vitals of one page. */
export function pageVitalsPath(projectId: string): string {
  return `${sectionPath(projectId, "web-vitals")}/page`;
}

/** Where the vitals of one page are shown. */
export function pageVitalsHref(
  projectId: string,
  scope: Scope,
  name: string,
  extra: Readonly<Record<string, string | null | undefined>> = {},
): string {
  return scopedHref(pageVitalsPath(projectId), scope, { name, ...extra });
}
