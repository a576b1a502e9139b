import { type Scope, scopeParams } from "./scope.ts";
import { sectionPath } from "./links.ts";
import type { Params } from "../profiles/params.ts";

/** Address with a query; names may come again and again. */
export function queryHref(path: string, params: Params): string {
  return params.length === 0
    ? path
    : `${path}?${new URLSearchParams(params.map((pair) => [...pair]))}`;
}

/**
 * A page of the section on profiles.
 *
 * @param page below the section, as `/compare`; `""` for the section itself
 */
export function profilingHref(
  projectId: string,
  page: string,
  scope: Scope,
  params: Params = [],
): string {
  return queryHref(sectionPath(projectId, "profiling") + page, [...scopeParams(scope), ...params]);
}

/**
 * The page of one profile.
 *
 * @param profileId 32 hex digits
 */
export function profileHref(projectId: string, profileId: string, params: Params = []): string {
  return queryHref(`${sectionPath(projectId, "profiling")}/${profileId}`, params);
}
