import { type Scope, scopedHref } from "./scope.ts";
import { sectionPath } from "./links.ts";

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
