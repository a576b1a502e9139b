import { changeIssues } from "../../lib/errors/workflow/change.ts";
import { SYSTEM } from "../../lib/errors/workflow/state.ts";
import type { Sql } from "../../lib/store/database.ts";

/** Sets the status of issues, without conditions. @returns how many changed */
export async function setIssueStatus(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  to: "unresolved" | "resolved" | "ignored",
  now: Date = new Date(),
): Promise<number> {
  const done = await changeIssues({ sql }, projectId, issueIds, { status: { to } }, SYSTEM, now);
  return done.changed.length;
}
