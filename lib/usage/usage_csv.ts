import type { UsageRow } from "./usage.ts";

const COLUMNS = ["day", "project", "category", "outcome", "reason", "quantity", "project_name"];

/**
 * The rows as CSV (RFC 4180), one line for each day, project, category, outcome and reason.
 *
 * @param projectNames by project id
 */
export function usageCsv(
  rows: readonly UsageRow[],
  projectNames: ReadonlyMap<string, string>,
): string {
  const lines = rows.map(({ day, projectId, category, kind, reason, quantity }) =>
    [day, projectId, category, kind, reason, String(quantity), projectNames.get(projectId) ?? ""]
      .map(cellOf).join(",")
  );
  return [COLUMNS.join(","), ...lines].join("\r\n") + "\r\n";
}

/** Names and reasons come from people and clients: a spreadsheet must not take one for a formula. */
function cellOf(text: string): string {
  const harmless = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
