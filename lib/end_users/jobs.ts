/** Exports and deletions of a person's data: asked for, looked at, noted as done. */
import { openValue, sealValue } from "../accounts/secrets.ts";
import { listProjects } from "../accounts/projects.ts";
import type { Config } from "../core/config.ts";
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { insertAudit } from "../store/audit.ts";
import type { Queryable, Sql } from "../store/database.ts";
import { hashOfIdentity, type Identity, type IdentityKind } from "./identity.ts";
import type { Counts } from "./sources/source.ts";

export interface JobStores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly config: Pick<Config, "secretKey">;
}

export type JobKind = "export" | "erase";

export interface JobProject {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

/** Where the work goes on: a project, a source of it, and the cursor of that. */
export interface Progress {
  readonly project: number;
  readonly source: number;
  readonly cursor: string | null;
}

/** A piece of a file of an export; pieces of one name follow each other. */
export interface Part {
  readonly name: string;
  readonly key: string;
  readonly bytes: number;
}

export interface Job {
  readonly id: string;
  readonly organizationId: string;
  readonly kind: JobKind;
  readonly identityKind: IdentityKind;
  readonly identityHash: string;
  readonly sealed: Uint8Array | null;
  readonly state: "waiting" | "done" | "failed";
  readonly askedBy: string;
  readonly askedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly projects: readonly JobProject[];
  readonly progress: Progress;
  /** By project. */
  readonly counts: Readonly<Record<string, Counts>>;
  readonly parts: readonly Part[];
  readonly expiresAt: Date | null;
  readonly lastError: string;
}

const START: Progress = { project: 0, source: 0, cursor: null };
/** More wait for each other anyway. */
const MAX_WAITING = 20;

/**
 * Asks for an export or a deletion over all projects of an organization.
 *
 * @param by who asks, as people know them
 * @returns its id
 * @throws {InvalidInput} while too many wait
 */
export async function askForJob(
  stores: JobStores,
  organizationId: string,
  kind: JobKind,
  who: Identity,
  by: string,
): Promise<string> {
  const { kv, sql } = stores;
  const id = crypto.randomUUID();
  const projects = (await listProjects(kv, organizationId))
    .map(({ id, slug, name }) => ({ id, slug, name }));
  const sealed = await sealValue(stores, placeOf(id), who);
  const hash = hashOfIdentity(organizationId, who);
  await sql.begin(async (tx) => {
    const [row] = await tx<{ count: number }[]>`
      select count(*)::int as count from end_user_jobs
      where organization_id = ${organizationId} and state = 'waiting'
    `;
    if ((row?.count ?? 0) >= MAX_WAITING) {
      throw new InvalidInput("value", t("Too many exports and deletions wait already."));
    }
    await tx`
      insert into end_user_jobs (
        id, organization_id, kind, identity_kind, identity_hash, sealed, asked_by, projects, progress
      ) values (
        ${id}, ${organizationId}, ${kind}, ${who.kind}, ${hash}, ${sealed}, ${by},
        ${JSON.stringify(projects)}::text::jsonb, ${JSON.stringify(START)}::text::jsonb
      )
    `;
    await insertAudit(tx, {
      event: `end-user.${kind}`,
      organizationId,
      // The log outlives the data: it must not name the person.
      target: { kind: "end-user", id, label: `${who.kind} ${hash.slice(0, 12)}…` },
      changes: { identityHash: [null, hash] },
    });
  });
  return id;
}

/** The newest exports and deletions of an organization. */
export async function listJobs(sql: Sql, organizationId: string): Promise<Job[]> {
  return await sql<Job[]>`
    select ${columns(sql)} from end_user_jobs
    where organization_id = ${organizationId} order by asked_at desc limit 50
  `;
}

/** Of an organization, or null. @param id what a client sent, whatever it is */
export async function findJob(sql: Sql, organizationId: string, id: string): Promise<Job | null> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return null;
  const [job] = await sql<Job[]>`
    select ${
    columns(sql)
  } from end_user_jobs where organization_id = ${organizationId} and id = ${id}
  `;
  return job ?? null;
}

/** The one that has waited longest, of all organizations. */
export async function nextJob(sql: Sql): Promise<Job | null> {
  const [job] = await sql<Job[]>`
    select ${columns(sql)} from end_user_jobs where state = 'waiting' order by asked_at limit 1
  `;
  return job ?? null;
}

/** Whom a job is about; null when the key of this instance has changed. */
export async function identityOf(
  stores: Pick<JobStores, "kv" | "config">,
  { id, sealed }: Job,
): Promise<Identity | null> {
  return sealed && await openValue<Identity>(stores, placeOf(id), sealed);
}

/**
 * Notes a batch that is done.
 *
 * @param before where the work was
 * @returns false when another process has gone on with it: this one hung, and its batch counts for nothing
 */
export async function noteProgress(
  sql: Sql,
  { id, counts, parts, progress: before }: Pick<Job, "id" | "counts" | "parts" | "progress">,
  progress: Progress,
): Promise<boolean> {
  const { count } = await sql`
    update end_user_jobs set progress = ${JSON.stringify(progress)}::text::jsonb,
      counts = ${JSON.stringify(counts)}::text::jsonb, parts = ${
    JSON.stringify(parts)
  }::text::jsonb,
      started_at = coalesce(started_at, now()), last_error = ''
    where id = ${id} and ${isAt(sql, before)}
  `;
  return count > 0;
}

function isAt(sql: Sql, progress: Progress) {
  return sql`state = 'waiting' and progress = ${JSON.stringify(progress)}::text::jsonb`;
}

/** Ends a job that is still there where it was; whom it was about is forgotten. @param error a sentence, or `""` */
export async function endJob(
  sql: Sql,
  { id, kind, progress }: Pick<Job, "id" | "kind" | "progress">,
  error: string,
  keepsDays: number,
): Promise<void> {
  const expires = kind === "export" && error === ""
    ? sql`now() + make_interval(days => ${keepsDays})`
    : sql`null`;
  await sql`
    update end_user_jobs set state = ${error === "" ? "done" : "failed"}, finished_at = now(),
      started_at = coalesce(started_at, now()), sealed = null, last_error = ${error},
      expires_at = ${expires}
    where id = ${id} and ${isAt(sql, progress)}
  `;
}

/** Exports whose files are to go. */
export async function expiredJobs(sql: Sql): Promise<Pick<Job, "id" | "parts">[]> {
  return await sql<Pick<Job, "id" | "parts">[]>`
    select id, parts from end_user_jobs where expires_at < now() limit 20
  `;
}

export async function noteExpired(sql: Sql, id: string): Promise<void> {
  await sql`update end_user_jobs set expires_at = null, parts = '[]' where id = ${id}`;
}

function placeOf(id: string): string {
  return `end-user-job/${id}`;
}

function columns(sql: Queryable) {
  return sql`
    id, organization_id::text as "organizationId", kind, identity_kind as "identityKind",
    identity_hash as "identityHash", sealed, state, asked_by as "askedBy", asked_at as "askedAt",
    started_at as "startedAt", finished_at as "finishedAt", projects, progress, counts, parts,
    expires_at as "expiresAt", last_error as "lastError"
  `;
}
