import { type Scope, scopedHref } from "./scope.ts";
import { sectionPath } from "./links.ts";

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
