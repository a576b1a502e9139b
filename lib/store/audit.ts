/** The audit log in Postgres. Nothing changes an entry; they go by age. */
import { storableJson } from "../core/errors.ts";
import { type AuditEntry, auditEntry, type AuditInput, changesBetween } from "../records/audit.ts";
import type { Queryable, Sql, Transaction } from "./database.ts";

/** Writes an entry in the transaction of the change that it tells of. @param sql that of the transaction */
export async function insertAudit(sql: Queryable, input: AuditInput): Promise<void> {
  await storeAudit(sql, [auditEntry(input)]);
}

/**
 * Does work in a transaction: the caller's where it has one. A change and the entry that tells of it are one.
 *
 * @param work uses nothing but what it is handed
 */
export async function inTransaction<T>(
  sql: Queryable,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  if (isTransaction(sql)) return await work(sql);
  // What a transaction returns comes in a box: the driver's types unpack arrays of promises.
  const { value } = await sql.begin(async (tx) => ({ value: await work(tx) }));
  return value as T;
}

function isTransaction(sql: Queryable): sql is Transaction {
  return "savepoint" in sql;
}

/**
 * Tells of what was done to issues, in the transaction that does it and before they are gone.
 *
 * @param ids of those that there are
 */
export async function auditIssues(
  tx: Queryable,
  event: string,
  projectId: string,
  ids: readonly string[],
  changes: AuditInput["changes"] & object = {},
): Promise<void> {
  const rows = await tx<{ id: string; title: string }[]>`
    select id::text as id, title from issues
    where project_id = ${projectId} and id = any (${[...ids]}::bigint[])
  `;
  const entries = rows.map(({ id, title }) =>
    auditEntry({
      event,
      projectId,
      target: { kind: "issue", id, label: title.slice(0, MAX_LABEL) },
      changes,
    })
  );
  await storeAudit(tx, entries);
}

const MAX_LABEL = 200;

/** Tells of data that somebody takes along as a file. @param label as `usage.csv` */
export async function auditExport(
  sql: Queryable,
  kind: string,
  label: string,
  projectId: string | null = null,
): Promise<void> {
  const target = { kind, id: projectId ?? "", label: label.slice(0, MAX_LABEL) };
  await insertAudit(sql, { event: "user.export", projectId, target });
}

/** A kind of thing that people change, as the audit log tells of it. */
export interface AuditedKind<Row> {
  /** As `dashboard`. */
  readonly kind: string;
  readonly of: (row: Row) => {
    readonly id: string;
    readonly label: string;
    readonly projectId?: string;
  };
  /** What people set, by field; the rest of a row is nobody's doing. */
  readonly shown: (row: Row) => object;
}

/**
 * Writes the entry of a change in its transaction; none where nothing changed.
 *
 * @param before null: it was made @param after null: it was deleted
 */
export async function auditChange<Row>(
  tx: Queryable,
  event: string,
  { kind, of, shown }: AuditedKind<Row>,
  before: Row | null,
  after: Row | null,
): Promise<void> {
  const row = after ?? before;
  if (row === null) return;
  const changes = changesBetween(before && shown(before), after && shown(after));
  if (before !== null && after !== null && Object.keys(changes).length === 0) return;
  const { id, label, projectId = null } = of(row);
  await insertAudit(tx, { event, projectId, target: { kind, id, label }, changes });
}

/** Stores entries and notes them for the organization's webhook; those that are stored already stay as they are. */
export async function storeAudit(sql: Queryable, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ by, target, ...entry }) => ({
    id: entry.id,
    at: entry.at.toISOString(),
    organization_id: entry.organizationId,
    project_id: entry.projectId,
    event: entry.event,
    actor_kind: by.kind,
    actor_id: by.id,
    actor_label: by.label,
    address: by.address,
    user_agent: by.userAgent,
    request_id: by.requestId,
    target_kind: target.kind,
    target_id: target.id,
    target_label: target.label,
    changes: entry.changes,
  }));
  await sql`
    with stored as (
      insert into audit_entries
      -- Work that no request asks for knows its project alone.
      select id, at, coalesce(organization_id, (
          select organization_id from control_projects
          where control_projects.project_id = entry.project_id
        )), project_id, event, actor_kind, actor_id, actor_label, address, user_agent, request_id,
        target_kind, target_id, target_label, changes
      from jsonb_populate_recordset(null::audit_entries, ${
    storableJson(rows)
  }::text::jsonb) as entry
      on conflict (id) do nothing
      returning id, organization_id
    )
    insert into audit_outbox (organization_id, entry_id)
    select organization_id, id from stored join audit_webhooks using (organization_id) order by id
  `;
}

/** Ends the sending of an organization that is gone, and forgets its exports and receipts; the log itself goes by age. */
export async function forgetAuditOf(sql: Sql, organizationId: string): Promise<void> {
  for (const table of ["audit_webhooks", "audit_outbox", "end_user_jobs"]) {
    await sql`delete from ${sql(table)} where organization_id = ${organizationId}`;
  }
}

/** So long entries are kept; a trigger of the table holds to it as well. */
export const AUDIT_DAYS = 400;
