import type { Sql } from "../../telemetry/database.ts";
import { type IssueStatus, setIssueStatus } from "../../telemetry/issue_status.ts";
import type { Flash } from "../flash.ts";
import { formatQuantity } from "../format.ts";

/** What the buttons of list and page ask for, and the status each leads to. */
const STATUS_OF_ACTION: ReadonlyMap<string, IssueStatus> = new Map([
  ["resolve", "resolved"],
  ["ignore", "ignored"],
  ["unresolve", "unresolved"],
]);

/** More than a page of the list holds. */
const MAX_ISSUES = 200;

/**
 * Does what an issue form asks for.
 *
 * @param issueIds decimal ids; anything else is passed over
 * @returns what to tell the person
 */
export async function changeStatus(
  sql: Sql,
  projectId: string,
  action: string | null,
  issueIds: readonly string[],
): Promise<Flash> {
  const status = STATUS_OF_ACTION.get(action ?? "");
  const ids = issueIds.filter((id) => /^\d{1,18}$/.test(id)).slice(0, MAX_ISSUES);
  if (!status) return { kind: "danger", text: "This is nothing that can be done with an issue." };
  if (ids.length === 0) return { kind: "warning", text: "Choose at least one issue first." };
  const changed = await setIssueStatus(sql, projectId, ids, status);
  return changed === 0
    ? { kind: "warning", text: `Nothing changed: this was ${status} before.` }
    : { kind: "ok", text: `${formatQuantity(changed, "issue")} ${pastOf(status)}.` };
}

function pastOf(status: IssueStatus): string {
  return status === "unresolved" ? "set back to unresolved" : status;
}
