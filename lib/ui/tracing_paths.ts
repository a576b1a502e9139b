import { EVERYTHING, type Scope, scopedHref } from "./scope.ts";
import { sectionPath } from "./links.ts";

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
