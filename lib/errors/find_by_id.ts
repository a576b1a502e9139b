import type { Sql } from "../store/database.ts";
import { findEvent } from "./events.ts";
import { findIssue } from "./issues.ts";
import { type Scope, scopedHref } from "../ui/scope.ts";
import type { IdInSearch } from "./list_params.ts";
import { eventPath, issuePath } from "../ui/links_issues.ts";

/** Where an id from the search box leads, with the scope kept; null when nothing has that id. */
export async function findById(
  sql: Sql,
  projectId: string,
  { kind, id }: IdInSearch,
  scope: Scope,
): Promise<string | null> {
  if (kind === "issue") {
    const issue = await findIssue(sql, projectId, id);
    return issue && scopedHref(issuePath(projectId, issue.id), scope);
  }
  const event = await findEvent(sql, projectId, id);
  return event && scopedHref(eventPath(projectId, event.issueId, event.eventId), scope);
}
