import { type Scope, scopedHref } from "../scope.ts";
import { sectionPath } from "../sections.ts";

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

/** The page of a trace, with one of its spans opened. */
export function traceHref(projectId: string, traceId: string, spanId?: string | null): string {
  const path = `${sectionPath(projectId, "traces")}/${traceId}`;
  return spanId ? `${path}?span=${spanId}` : path;
}
