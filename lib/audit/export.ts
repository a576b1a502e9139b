/** The audit log as a file: CSV for spreadsheets, JSON lines for programs; written while it is read. */
import type { AuditEntry } from "../records/audit.ts";
import { csvLine } from "../ui/csv.ts";

/** An entry as files and webhooks have it; `docs/audit.md` has its shape. */
export function auditJson(entry: AuditEntry) {
  const { by, target } = entry;
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    event: entry.event,
    organizationId: entry.organizationId,
    projectId: entry.projectId,
    actor: { kind: by.kind, id: by.id, label: by.label },
    address: by.address,
    userAgent: by.userAgent,
    requestId: by.requestId,
    target,
    changes: Object.fromEntries(
      Object.entries(entry.changes).map(([name, [before, after]]) => [name, { before, after }]),
    ),
  };
}

const COLUMNS = [
  "time",
  "event",
  "actor",
  "actor_kind",
  "target_kind",
  "target",
  "target_id",
  "organization_id",
  "project_id",
  "address",
  "user_agent",
  "request_id",
  "changes",
  "id",
];

function cellsOf(entry: AuditEntry): string[] {
  const { by, target } = entry;
  return [
    entry.at.toISOString(),
    entry.event,
    by.label,
    by.kind,
    target.kind,
    target.label,
    target.id,
    entry.organizationId ?? "",
    entry.projectId ?? "",
    by.address ?? "",
    by.userAgent ?? "",
    by.requestId ?? "",
    JSON.stringify(auditJson(entry).changes),
    entry.id,
  ];
}

export type AuditFormat = "csv" | "jsonl";

/** Media types of both. */
export const AUDIT_TYPES: Readonly<Record<AuditFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  jsonl: "application/x-ndjson",
};

/** The entries as the bytes of a file. */
export function auditFile(
  entries: AsyncIterable<AuditEntry>,
  format: AuditFormat,
): ReadableStream<Uint8Array> {
  return ReadableStream.from(lines(entries, format)).pipeThrough(new TextEncoderStream());
}

async function* lines(
  entries: AsyncIterable<AuditEntry>,
  format: AuditFormat,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(COLUMNS);
  for await (const entry of entries) {
    yield format === "csv" ? csvLine(cellsOf(entry)) : `${JSON.stringify(auditJson(entry))}\n`;
  }
}
