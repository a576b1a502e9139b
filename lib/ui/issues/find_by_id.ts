import type { Sql } from "../../telemetry/database.ts";
import { findEvent } from "../../telemetry/events.ts";
import { findIssue } from "../../telemetry/issues.ts";
import { parseScope, scopedHref } from "../scope.ts";
import { idInSearch } from "./list_params.ts";
import { eventPath, issuePath } from "./paths.ts";

/**
 * Where the id in a search leads, or null when the search is none or nothing has that id.
 *
 * @param search the URL's parameters, whose scope the answer keeps
 */
export async function findById(
  sql: Sql,
  projectId: string,
  query: string,
  search: URLSearchParams,
): Promise<string | null> {
  const wanted = idInSearch(query);
  if (!wanted) return null;
  const scope = parseScope(search);
  if (wanted.kind === "issue") {
    const issue = await findIssue(sql, projectId, wanted.id);
    return issue && scopedHref(issuePath(projectId, issue.id), scope);
  }
  const event = await findEvent(sql, projectId, wanted.id);
  return event && scopedHref(eventPath(projectId, event.issueId, event.eventId), scope);
}
