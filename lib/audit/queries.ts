/** Reads the audit log, newest entries first: ids are in order of time, so they are the cursor as well. */
import type postgres from "postgres";
import type { Asker } from "../core/request_scope.ts";
import { storable } from "../core/errors.ts";
import type { AuditChange, AuditEntry } from "../records/audit.ts";
import type { Sql } from "../store/database.ts";
import { type Cursor, type CursorPage, cutPage, readCursor } from "../store/query_limits.ts";
import type { AuditFilter } from "./filter.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A page of the log. @param cursor as a page before has it */
export async function listAudit(
  sql: Sql,
  filter: AuditFilter,
  cursorText: string | null,
  limit: number,
): Promise<CursorPage<AuditEntry>> {
  const cursor = readCursor(cursorText, (_, id) => UUID.test(id));
  const rows = await readEntries(sql, filter, cursor, limit + 1);
  return cutPage(rows, limit, cursor, ({ id }) => ({ value: "", id }));
}

/** All entries that a filter finds, oldest of the newest page last, without holding more than a page. */
export async function* allAudit(sql: Sql, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  let cursor: Cursor | null = null;
  while (true) {
    const rows: AuditEntry[] = await readEntries(sql, filter, cursor, ROWS_A_READ);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_A_READ) return;
    cursor = { direction: "next", value: "", id: last.id };
  }
}

const ROWS_A_READ = 500;

async function readEntries(
  sql: Sql,
  filter: AuditFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<AuditEntry[]> {
  const isBackwards = cursor?.direction === "previous";
  const beyond = cursor === null
    ? sql``
    : isBackwards
    ? sql`and id > ${cursor.id}`
    : sql`and id < ${cursor.id}`;
  const rows = await sql<Row[]>`
    ${COLUMNS(sql)}
    where true ${conditions(sql, filter)} ${beyond}
    order by id ${isBackwards ? sql`asc` : sql`desc`}
    limit ${limit}
  `;
  return rows.map(entryOf);
}

/** Entries by their ids, in the order of these. */
export async function auditEntries(sql: Sql, ids: readonly string[]): Promise<AuditEntry[]> {
  const rows = await sql<Row[]>`${COLUMNS(sql)} where id = any (${[...ids]}::uuid[])`;
  const byId = new Map(rows.map((row) => [row.id, entryOf(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Who is in the log, for the filter's list: those of the newest entries. */
export async function recentActors(sql: Sql, organizationId: string | null): Promise<string[]> {
  const rows = await sql<{ label: string }[]>`
    select distinct label from (
      select actor_label as label from audit_entries
      ${organizationId === null ? sql`` : sql`where organization_id = ${organizationId}`}
      order by id desc limit ${ACTORS_OF}
    ) as newest order by label limit ${MAX_ACTORS}
  `;
  return rows.map(({ label }) => label);
}

const ACTORS_OF = 5_000;
const MAX_ACTORS = 200;

interface Row {
  readonly id: string;
  readonly at: Date;
  readonly organizationId: string | null;
  readonly projectId: string | null;
  readonly event: string;
  readonly actorKind: Asker["kind"];
  readonly actorId: string | null;
  readonly actorLabel: string;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  readonly targetKind: string;
  readonly targetId: string;
  readonly targetLabel: string;
  readonly changes: Readonly<Record<string, AuditChange>>;
}

const COLUMNS = (sql: Sql) =>
  sql`
    select id, at, organization_id as "organizationId", project_id as "projectId", event,
      actor_kind as "actorKind", actor_id as "actorId", actor_label as "actorLabel", address,
      user_agent as "userAgent", request_id as "requestId", target_kind as "targetKind",
      target_id as "targetId", target_label as "targetLabel", changes
    from audit_entries
  `;

function conditions(sql: Sql, filter: AuditFilter): postgres.Fragment {
  const { organizationId, events, actor, target, projectId, start, end } = filter;
  const groups = events.filter((name) => name.endsWith("."));
  const names = events.filter((name) => !name.endsWith("."));
  const ofEvents = [
    ...(names.length > 0 ? [sql`event = any (${names.map(storable)}::text[])`] : []),
    ...groups.map((group) => sql`starts_with(event, ${storable(group)})`),
  ];
  const [first, ...others] = ofEvents;
  const any = first && others.reduce((all, each) => sql`${all} or ${each}`, first);
  const part = storable(target);
  return sql`
    ${organizationId === null ? sql`` : sql`and organization_id = ${organizationId}`}
    ${any === undefined ? sql`` : sql`and (${any})`}
    ${actor === "" ? sql`` : sql`and actor_label = ${storable(actor)}`}
    ${
    target === ""
      ? sql``
      : sql`and (target_id = ${part} or position(lower(${part}) in lower(target_label)) > 0)`
  }
    ${projectId === "" ? sql`` : sql`and project_id = ${projectId}`}
    ${start === null ? sql`` : sql`and id >= ${firstIdOf(start)}`}
    ${end === null ? sql`` : sql`and id < ${firstIdOf(end)}`}
  `;
}

/** The lowest id of a UUID version 7 of this millisecond. */
function firstIdOf(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

function entryOf(row: Row): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    organizationId: row.organizationId,
    projectId: row.projectId,
    event: row.event,
    target: { kind: row.targetKind, id: row.targetId, label: row.targetLabel },
    changes: row.changes,
    by: {
      kind: row.actorKind,
      id: row.actorId,
      label: row.actorLabel,
      address: row.address,
      userAgent: row.userAgent,
      requestId: row.requestId,
    },
  };
}
