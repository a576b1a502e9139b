/**
 * Audit entries of what the control store holds. They are written in the commit of the change and wait there until a clock
 * has moved them to the audit log in Postgres (`lib/store/audit.ts`).
 */
import { type AuditEntry, auditEntry, type AuditInput } from "../records/audit.ts";
import { keyOf } from "./kv.ts";

/** Adds an entry to the commit of the change that it tells of. */
export function addAudit(atomic: Deno.AtomicOperation, input: AuditInput): Deno.AtomicOperation {
  const entry: AuditEntry = auditEntry(input);
  return atomic.set(keyOf.auditEntry(entry.id), entry);
}
