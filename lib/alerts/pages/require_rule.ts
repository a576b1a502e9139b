import { HttpError } from "fresh";
import type { Sql } from "../../store/database.ts";
import { findRule, type StoredRule } from "../rules.ts";

/**
 * The alert that an address names.
 *
 * @throws {HttpError} 404 when the project has none of that id
 */
export async function requireRule(
  sql: Sql,
  projectId: string,
  ruleId: string | undefined,
): Promise<StoredRule> {
  const rule = await findRule(sql, projectId, ruleId ?? "");
  if (rule === null) throw new HttpError(404, "This alert does not exist, or does not any more.");
  return rule;
}
