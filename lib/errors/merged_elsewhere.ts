import type { Sql } from "../store/database.ts";
import { findIssue } from "./issues.ts";

/** The issue that `issueId` was merged into, so that old links still lead somewhere; null when it stands for itself. */
export async function mergedElsewhere(
  sql: Sql,
  projectId: string,
  issueId: string,
): Promise<string | null> {
  if (!/^\d{1,18}$/.test(issueId)) return null;
  return (await findIssue(sql, projectId, issueId))?.mergedInto ?? null;
}
