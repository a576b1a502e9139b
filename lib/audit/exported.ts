import { insertAudit } from "../store/audit.ts";
import type { Backend } from "../store/stores.ts";
import { disposition } from "../ui/downloads.ts";
import { AUDIT_TYPES, auditFile, type AuditFormat } from "./export.ts";
import { exportFilter, upToDate } from "./load.ts";
import { allAudit } from "./queries.ts";

/**
 * Answers with the audit log as a file, by the filter of its page; the log tells of it.
 *
 * @param organization null: of the whole instance
 */
export async function exportedAudit(
  services: Pick<Backend, "kv" | "sql">,
  organization: { readonly id: string; readonly slug: string } | null,
  search: URLSearchParams,
): Promise<Response> {
  const format: AuditFormat = search.get("format") === "csv" ? "csv" : "jsonl";
  const organizationId = organization?.id ?? null;
  await upToDate(services);
  await insertAudit(services.sql, exportEntry(organizationId, format));
  const entries = allAudit(services.sql, exportFilter(organizationId, search));
  const name = `audit-log-${organization?.slug ?? "instance"}.${format}`;
  return new Response(auditFile(entries, format), {
    headers: {
      "content-type": AUDIT_TYPES[format],
      "content-disposition": disposition(name),
      "cache-control": "private, no-store",
    },
  });
}

/** What the log tells of its own export. */
export function exportEntry(organizationId: string | null, format: AuditFormat) {
  return {
    event: "user.export",
    organizationId,
    target: { kind: "audit-log", id: format, label: `audit-log.${format}` },
  };
}
