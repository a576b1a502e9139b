/** Exports and imports of a project's data: asked for, looked at, noted as done. */
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { insertAudit } from "../store/audit.ts";
import type { Queryable, Sql } from "../store/database.ts";

export type TransferKind = "export" | "import";

/** How much there was, by kind of data or by what became of it. */
export type Counts = Readonly<Record<string, number>>;

/** Of an export the source and its cursor, of an import the file and its line; and the parts that were written. */
export interface Progress {
  readonly step: number;
  readonly cursor: string | null;
  readonly parts: number;
  /** How often work began here that came neither further nor to an end: the process ended meanwhile. */
  readonly tries?: number;
}

export interface Transfer {
  readonly id: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly kind: TransferKind;
  readonly state: "waiting" | "done" | "failed";
  readonly askedBy: string;
  readonly askedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly label: string;
  /** Of an import: whether the file's settings are taken, too. */
  readonly takesSettings: boolean;
  readonly progress: Progress;
  readonly counts: Counts;
  readonly sizeBytes: number;
  readonly expiresAt: Date | null;
  readonly lastError: string;
}

/** Whose data it is. */
export interface Place {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
}

/** What is asked for. */
export interface NewTransfer {
  readonly kind: TransferKind;
  /** Made by whoever has put something into the object store for it already. */
  readonly id?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly label?: string;
  readonly takesSettings?: boolean;
  readonly by: string;
}

const START: Progress = { step: 0, cursor: null, parts: 0 };
/** More of a project wait for each other anyway. */
const MAX_WAITING = 20;

/** @returns its id @throws {InvalidInput} while too many of the project wait */
export async function askForTransfer(
  sql: Sql,
  { id: projectId, organizationId, slug }: Place,
  { kind, id = crypto.randomUUID(), since, until, label = "", takesSettings = false, by }:
    NewTransfer,
): Promise<string> {
  await sql.begin(async (tx) => {
    const [row] = await tx<{ count: number }[]>`
      select count(*)::int as count from transfers
      where project_id = ${projectId} and state = 'waiting'
    `;
    if ((row?.count ?? 0) >= MAX_WAITING) {
      throw new InvalidInput(
        "file",
        t("Too many exports and imports of the project wait already."),
      );
    }
    // A whole millisecond, as a `Date` has no parts of it: an export has what came before, in the same one as well.
    await tx`
      insert into transfers (
        project_id, id, organization_id, kind, asked_by, since, until, label, takes_settings,
        progress, asked_at
      ) values (
        ${projectId}, ${id}, ${organizationId}, ${kind}, ${by}, ${since ?? null}, ${until ?? null},
        ${label}, ${takesSettings}, ${JSON.stringify(START)}::text::jsonb,
        date_trunc('milliseconds', now()) + interval '1 millisecond'
      )
    `;
    await insertAudit(tx, {
      event: `project.${kind}`,
      organizationId,
      projectId,
      target: { kind: "project", id: projectId, label: label === "" ? slug : `${slug}: ${label}` },
    });
  });
  return id;
}

/** The newest exports and imports of a project. */
export async function listTransfers(sql: Sql, projectId: string): Promise<Transfer[]> {
  return await sql<Transfer[]>`
    select ${columns(sql)} from transfers
    where project_id = ${projectId} order by asked_at desc limit 50
  `;
}

/** Of a project, or null. @param id what a client sent, whatever it is */
export async function findTransfer(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<Transfer | null> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return null;
  const [transfer] = await sql<Transfer[]>`
    select ${columns(sql)} from transfers where project_id = ${projectId} and id = ${id}
  `;
  return transfer ?? null;
}

/** The one that has waited longest, of all organizations but these. */
export async function nextTransfer(
  sql: Sql,
  but: readonly string[],
): Promise<Transfer | null> {
  const [transfer] = await sql<Transfer[]>`
    select ${columns(sql)} from transfers
    where state = 'waiting' and organization_id <> all (${[...but]}::bigint[])
    order by asked_at limit 1
  `;
  return transfer ?? null;
}

/**
 * Notes a batch that is done.
 *
 * @param before where the work was
 * @returns false when another process has gone on with it: this one hung, and its batch counts for nothing
 */
export async function noteProgress(
  sql: Sql,
  { projectId, id, counts, sizeBytes, progress: before }: Pick<
    Transfer,
    "projectId" | "id" | "progress" | "counts" | "sizeBytes"
  >,
  progress: Progress,
): Promise<boolean> {
  const { count } = await sql`
    update transfers set progress = ${JSON.stringify(progress)}::text::jsonb,
      counts = ${JSON.stringify(counts)}::text::jsonb, size_bytes = ${sizeBytes},
      started_at = least(started_at, now())
    where project_id = ${projectId} and id = ${id} and ${isAt(sql, before)}
  `;
  return count > 0;
}

/** Ends one that is still there where it was. @param error a sentence, or `""` */
export async function endTransfer(
  sql: Sql,
  { projectId, id, progress }: Pick<Transfer, "projectId" | "id" | "progress">,
  error: string,
  keepsDays: number,
): Promise<void> {
  await sql`
    update transfers set state = ${error === "" ? "done" : "failed"}, finished_at = now(),
      started_at = least(started_at, now()), last_error = ${error},
      expires_at = now() + make_interval(days => ${error === "" ? keepsDays : 0})
    where project_id = ${projectId} and id = ${id} and ${isAt(sql, progress)}
  `;
}

/** Whether one is where whoever works on it left it. */
function isAt(sql: Sql, progress: Progress) {
  return sql`state = 'waiting' and progress = ${JSON.stringify(progress)}::text::jsonb`;
}

/** Those whose files are to go. */
export async function expiredTransfers(
  sql: Sql,
): Promise<Pick<Transfer, "projectId" | "id">[]> {
  return await sql<Pick<Transfer, "projectId" | "id">[]>`
    select project_id::text as "projectId", id from transfers where expires_at < now() limit 20
  `;
}

export async function noteExpired(
  sql: Sql,
  { projectId, id }: Pick<Transfer, "projectId" | "id">,
): Promise<void> {
  for (const table of ["transfer_parts", "transfer_issues"]) {
    await sql`delete from ${sql(table)} where project_id = ${projectId} and transfer_id = ${id}`;
  }
  await sql`
    update transfers set expires_at = null, size_bytes = 0
    where project_id = ${projectId} and id = ${id}
  `;
}

/** Whether its file can be downloaded. */
export function isThere({ kind, state, expiresAt }: Transfer): boolean {
  return kind === "export" && state === "done" && expiresAt !== null && expiresAt > new Date();
}

/** One count beside another. */
export function sumOf(one: Counts, other: Counts): Counts {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) {
    if (count > 0) sum[name] = Math.min((sum[name] ?? 0) + count, Number.MAX_SAFE_INTEGER);
  }
  return sum;
}

function columns(sql: Queryable) {
  return sql`
    id, project_id::text as "projectId", organization_id::text as "organizationId", kind, state,
    asked_by as "askedBy", asked_at as "askedAt", started_at as "startedAt",
    finished_at as "finishedAt", since, until, label, takes_settings as "takesSettings", progress, counts,
    size_bytes::float8 as "sizeBytes", expires_at as "expiresAt", last_error as "lastError"
  `;
}
