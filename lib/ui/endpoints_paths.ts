import { type Scope, scopedHref } from "./scope.ts";
import { sectionPath } from "./links.ts";

/** The page of one endpoint, named by its key as `GET /users/{}`. */
export function endpointHref(projectId: string, scope: Scope, endpoint: string): string {
  return scopedHref(endpointPath(projectId), scope, { endpoint });
}

/** The same without its endpoint. */
export function endpointPath(projectId: string): string {
  return `${sectionPath(projectId, "endpoints")}/detail`;
}
