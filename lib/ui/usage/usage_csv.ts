import type { UsageRow } from "../../telemetry/usage.ts";

/** The rows as CSV (RFC 4180), one line for each day, project, category, end and reason. */
export function usageCsv(rows: readonly UsageRow[]): string {
  const lines = rows.map((row) =>
    [row.day, row.projectId, row.category, row.kind, row.reason, String(row.quantity)]
      .map(cellOf).join(",")
  );
  return ["day,project,category,outcome,reason,quantity", ...lines].join("\r\n") + "\r\n";
}

/** Reasons come from clients too: a spreadsheet must not take one for a formula. */
function cellOf(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
