/**
 * Moves audit entries of the control store, where they were written in the commit of their change, to the log in
 * Postgres: in order, and each once, whoever is interrupted and whoever else does the same.
 */
import { startLeased } from "../accounts/leased_clock.ts";
import { prefixOf } from "../accounts/kv.ts";
import type { Logger } from "../core/log.ts";
import { SECOND_MS } from "../core/time.ts";
import type { Repeated } from "../core/waiting.ts";
import type { AuditEntry } from "../records/audit.ts";
import { storeAudit } from "../store/audit.ts";
import type { Sql } from "../store/database.ts";

interface AuditStores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
}

/** One statement and one commit. */
const BATCH = 100;

/**
 * Moves all that waits. Entries stay where they are while Postgres is away.
 *
 * @returns how many there were
 */
export async function moveAudit({ kv, sql }: AuditStores, stopping?: AbortSignal): Promise<number> {
  let moved = 0;
  while (!stopping?.aborted) {
    const waiting = kv.list<AuditEntry>({ prefix: prefixOf.auditEntries() }, { limit: BATCH });
    const entries = await Array.fromAsync(waiting);
    if (entries.length === 0) break;
    await storeAudit(sql, entries.map(({ value }) => value));
    const deletion = kv.atomic();
    for (const { key } of entries) deletion.delete(key);
    await deletion.commit();
    moved += entries.length;
    if (entries.length < BATCH) break;
  }
  return moved;
}

const INTERVAL_MS = 2 * SECOND_MS;
const LEASE_MS = 30 * SECOND_MS;

/** Moves what waits every other second. */
export function startAuditClock(
  { kv, sql, log }: AuditStores & { readonly log: Pick<Logger, "error"> },
): Repeated {
  return startLeased({ kv, log }, {
    name: "audit_log",
    everyMs: INTERVAL_MS,
    leaseMs: LEASE_MS,
    failure: "cannot move entries to the audit log: they wait in the control store",
    work: async (stopping) => void await moveAudit({ kv, sql }, stopping),
  });
}
