import type { Sql } from "../store/database.ts";
import { isId } from "../store/query_limits.ts";
import type { Flash } from "../ui/cookies.ts";
import { formatQuantity } from "../ui/format.ts";
import { letEventsFollow, type MergeBackend, mergeIssues, unmergeIssue } from "./issue_merge.ts";
import type { IssueStatus } from "./issue_search.ts";
import { issuesOfProject, setIssueStatus } from "./issues.ts";

/** What the buttons of list and page ask for, and the status each leads to. */
const STATUS_OF_ACTION: ReadonlyMap<string, IssueStatus> = new Map([
  ["resolve", "resolved"],
  ["ignore", "ignored"],
  ["unresolve", "unresolved"],
]);

/** More than a page of the list holds. */
const MAX_ISSUES = 200;

export interface IssueAction {
  readonly projectId: string;
  readonly action: string | null;
  /** Decimal ids; anything else is passed over. */
  readonly issueIds: readonly string[];
  /** For `unmerge`: the issue to take out of the first of `issueIds`. */
  readonly mergedId?: string | null;
}

/**
 * Does what an issue form asks for.
 *
 * @returns what to tell the person
 */
export async function actOnIssues(
  backend: MergeBackend,
  { projectId, action, issueIds, mergedId }: IssueAction,
): Promise<Flash> {
  const ids = issueIds.filter(isId).slice(0, MAX_ISSUES);
  if (action === "merge") return await merge(backend, projectId, ids);
  if (action === "unmerge") return await unmerge(backend, projectId, ids[0], mergedId);
  return await changeStatus(backend.sql, projectId, action, ids);
}

async function merge(
  backend: MergeBackend,
  projectId: string,
  ids: readonly string[],
): Promise<Flash> {
  const merged = await mergeIssues(backend.sql, projectId, ids);
  if (merged === null) return { kind: "warning", text: "Choose at least two issues to merge." };
  await letEventsFollow(backend, projectId);
  return {
    kind: "ok",
    text: `${formatQuantity(merged.sources.length, "issue")} merged into #${merged.into}.`,
  };
}

async function unmerge(
  backend: MergeBackend,
  projectId: string,
  issueId: string | undefined,
  mergedId: string | null | undefined,
): Promise<Flash> {
  const isDone = issueId !== undefined && isId(mergedId ?? "") &&
    await unmergeIssue(backend.sql, projectId, issueId, mergedId ?? "");
  if (!isDone) return { kind: "warning", text: "This is not part of the issue any more." };
  await letEventsFollow(backend, projectId);
  return { kind: "ok", text: `#${mergedId} is an issue of its own again.` };
}

async function changeStatus(
  sql: Sql,
  projectId: string,
  action: string | null,
  ids: readonly string[],
): Promise<Flash> {
  const status = STATUS_OF_ACTION.get(action ?? "");
  if (!status) return { kind: "danger", text: "This is nothing that can be done with an issue." };
  if (ids.length === 0) return { kind: "warning", text: "Choose at least one issue first." };
  const changed = await setIssueStatus(sql, projectId, ids, status);
  if (changed > 0) {
    return { kind: "ok", text: `${formatQuantity(changed, "issue")} ${pastOf(status)}.` };
  }
  const known = await issuesOfProject(sql, projectId, ids);
  return known.length === 0
    ? { kind: "warning", text: "Nothing changed: this project has no such issue." }
    : { kind: "warning", text: `Nothing changed: this was ${status} before.` };
}

function pastOf(status: IssueStatus): string {
  return status === "unresolved" ? "set back to unresolved" : status;
}
